import {
  connectionsOf,
  isObject,
  type Product,
  PRODUCTS,
  type Tape,
  type TapedData,
} from '@stagepass/contract'
import { talk } from '../net/talk.js'
import { contradicted, notProvable, type Outcome, proven } from '../report/Result.js'
import { shapeOf } from '../report/shapeOf.js'
import { below } from '../settings/readVariables.js'
import type { ServiceContext } from './service.js'

export interface TapeContext extends ServiceContext {
  readonly tape: Tape
}

/** A talk is cut at this time. It ends earlier if every form of the tape was seen. */
const LONGEST_MS = 20_000
/** After the last message of the page the service may still answer. */
const ANSWER_MS = 3_000

const BYTES = 'bytes'

/** Products that are on the tape. */
export const productsOf = (tape: Tape): readonly Product[] => [
  ...new Set(connectionsOf(tape).map(({ product }) => product)),
]

/**
 * Compares the messages of the running service with those of a tape, by their form: it sends what the page has
 * sent on the first connection of the product; sound that is not on the tape as silence. No value is compared.
 */
export const tapeOf =
  (product: Product) =>
  async ({ settings, minted, signal, tape }: TapeContext): Promise<Outcome> => {
    const all = connectionsOf(tape).filter((connection) => connection.product === product)
    const expected = new Set(all.flatMap(({ received }) => received.map(({ data }) => formOf(data))))
    const [first] = all
    const sessionKey = minted.get(product)?.sessionKey
    if (!first || sessionKey === undefined || expected.size === 0)
      return notProvable('The tape has no message of the service.')

    const seen = new Set<string>()
    await talk({
      url: below(settings.streamingUrl, PRODUCTS[product].path),
      sessionKey,
      messages: first.sent,
      lengthMs: Math.min(LONGEST_MS, (first.sent.at(-1)?.afterMs ?? 0) + ANSWER_MS),
      onMessage(text) {
        seen.add(text === undefined ? BYTES : formOf(text))
        return [...expected].every((form) => seen.has(form))
      },
      signal,
    })
    signal.throwIfAborted()
    const missing = [...expected].filter((form) => !seen.has(form))
    const unknown = [...seen].filter((form) => !expected.has(form))
    if (missing.length === 0) return proven(`All ${expected.size} forms of the tape came.`)
    const [came] = unknown
    if (came !== undefined)
      return contradicted(
        `The service sent ${came}, which is not on the tape. Of the tape this did not come: ${missing.join('; ')}.`,
        'Compare the two. If the service has changed, adapt the codec, and record a new tape.',
      )
    return notProvable(
      `${expected.size - missing.length} of ${expected.size} forms of the tape came, and no other.`,
      first.sent.some(({ data }) => typeof data === 'number')
        ? 'The tape has no sound, so the service heard silence.'
        : undefined,
    )
  }

/** Names of keys and kinds of values, in the order of the names. */
function formOf(data: TapedData): string {
  if (typeof data !== 'string') return BYTES
  try {
    return shapeOf(sorted(JSON.parse(data)))
  } catch {
    return 'a text that is not JSON'
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, part]) => [name, sorted(part)] as const)
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
