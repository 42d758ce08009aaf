import {
  FRESH_TOKEN_STATUS,
  type MeetingsWire,
  type MeetingsWireOptions,
  resolveMeetingsWire,
  withDefaults,
} from '@stagepass/contract'
import type { Latency } from './platform/latency.js'
import { type LimiterKind, LIMITERS } from './meetings/limiter.js'
import { REFUSAL_FORMS, type RefusalForm, REFUSALS, type RefuseBy } from './sockets/formatRefusal.js'
import type { RecordedRequest } from './request/requestLog.js'
import { KEY_STATES, type MeetingInput } from './store/rows.js'
import type { ApiKeyInput, CredentialInput } from './store/store.js'
import type { IdSource } from './platform/ids.js'

/** The options that do not depend on the transport. */
export interface CoreOptions {
  /** Seed of the random keys, ids, meetings and jitter. Default 1. */
  seed?: number | undefined
  /** The time in milliseconds since the epoch. Default `Date.now`. */
  now?: (() => number) | undefined

  /** API keys in addition to the built-in ones of `upstream.keys`. */
  keys?: readonly ApiKeyInput[] | undefined
  /** Meetings credentials in addition to the built-in ones of `upstream.credentials`. */
  credentials?: readonly CredentialInput[] | undefined
  /** `status` of a fresh token. Default `LICENSE_VALID`. */
  tokenStatus?: string | undefined

  /**
   * Maximum number of simultaneous sessions of one account. Default 1,000. (Assumptions: "Sockets of one
   * token".)
   */
  maxSessions?: number | undefined
  /** How a refused handshake reaches the client. Default `status`. */
  refuseBy?: RefuseBy | undefined
  /** The form of a refusal. Default: the public form `nested`; for a close, the error code as its reason. */
  refusalForm?: RefusalForm | undefined
  /**
   * If true, open sockets are closed with 1008 `unauthorized` when their token expires. Default false: the
   * expiry is checked only at the handshake.
   */
  cutAtExpiry?: boolean | undefined
  /**
   * If true, every message is sent back unchanged, for all products. Default false: each product has its own
   * behaviour.
   */
  echo?: boolean | undefined
  /**
   * Text of a `.voicetape`: each handshake of a product plays the next one of the tape, a refusal or every
   * message at its time after the opening (docs/vitals.md). Sound that is not on the tape is silence. After the
   * last one the product has its own behaviour. Default: none.
   */
  tape?: string | undefined
  /**
   * With `tape`: sound comes in chunks of other sizes, the same ones for the same number. Default: as
   * recorded.
   */
  rechunk?: number | undefined
  /** Number of received messages that are kept in `upstream.frames`; `Infinity` for all. Default 1,000. */
  recordFrames?: number | undefined

  /** Creates the ids of requests and tokens. Default: running numbers, and random texts from the seed. */
  ids?: IdSource | undefined

  /**
   * Rows of the meetings interface, instead of the built-in data set. Each needs only an `id`; see
   * `MeetingInput` for the defaults.
   */
  meetings?: readonly MeetingInput[] | undefined
  /**
   * Paths and names of the meetings interface, as in the option `meetings.wire` of `createBff`. Parts that
   * are not given are those of `ASSUMED_MEETINGS_WIRE`. (Assumptions: "Meetings wire".)
   */
  wire?: MeetingsWireOptions | undefined
  /** How the rate limit is counted. Default `sliding`. */
  limiter?: LimiterKind | undefined
  /** If true, refused requests count against the rate limit too. Default false. */
  limiterCountsRefused?: boolean | undefined
  /** If true, a 429 has a Retry-After. Default false. */
  retryAfter?: boolean | undefined
  /** If true, a list response has `total`. Default true. */
  total?: boolean | undefined
  /** How the last page is marked: `next_cursor` is null (default), or missing. */
  endOfList?: 'null' | 'missing' | undefined
  /** `{ "tags": [...] }` (default) or the bare array. */
  tagsShape?: 'object' | 'array' | undefined

  /** Simulated round trip. Default none. */
  latency?: Latency | undefined
  /** Called when a response begins, also for handshakes. Errors that it throws are not caught. */
  onRequest?: ((request: RecordedRequest) => void) | undefined
  /**
   * Called with the error if the emulator itself fails: the request gets 500, or the socket is closed with
   * 1011. Errors that it throws are not caught.
   */
  onError?: ((error: unknown) => void) | undefined
}

type NoDefault = 'now' | 'meetings' | 'refusalForm' | 'tape' | 'rechunk'
type Defaulted = Required<Omit<CoreOptions, NoDefault>>

/** A row for each option. */
const DEFAULTS: { readonly [TKey in keyof Defaulted]: NonNullable<Defaulted[TKey]> } & {
  readonly [TKey in NoDefault]: CoreOptions[TKey]
} = {
  seed: 1,
  now: undefined,
  keys: [],
  credentials: [],
  tokenStatus: FRESH_TOKEN_STATUS,
  maxSessions: 1_000,
  refuseBy: 'status',
  refusalForm: undefined,
  cutAtExpiry: false,
  echo: false,
  tape: undefined,
  rechunk: undefined,
  recordFrames: 1_000,
  ids: {},
  meetings: undefined,
  wire: {},
  limiter: 'sliding',
  limiterCountsRefused: false,
  retryAfter: false,
  total: true,
  endOfList: 'null',
  tagsShape: 'object',
  latency: { ms: 0 },
  onRequest: () => undefined,
  onError: () => undefined,
}

/** The keys of an option that is an object, or a list of objects. */
const PARTS = {
  keys: ['key', 'keyId', 'account', 'state', 'products'],
  credentials: ['credential', 'account', 'holder', 'scopes'],
  ids: ['reqId', 'sessionKey'],
  latency: ['ms', 'jitterMs'],
} as const satisfies Partial<Record<keyof CoreOptions, readonly string[]>>

const WORDS = {
  limiter: LIMITERS,
  refuseBy: REFUSALS,
  refusalForm: REFUSAL_FORMS,
  endOfList: ['null', 'missing'],
  tagsShape: ['object', 'array'],
} as const satisfies Partial<Record<keyof CoreOptions, readonly string[]>>

export interface CoreSettings extends Omit<typeof DEFAULTS, 'now' | 'wire'> {
  readonly now: () => number
  readonly wire: MeetingsWire
}

/**
 * Checks the options and adds the defaults. Throws an error with a remedy. `others`: the options that the
 * transport has checked.
 */
export function resolveCoreOptions(
  options: CoreOptions,
  now: () => number,
  others: readonly string[],
): CoreSettings {
  const known = { ...DEFAULTS, ...Object.fromEntries(others.map((name) => [name, undefined])) }
  const settings = withDefaults(known, options, (problem) => refuse('the object of options', problem))
  for (const [name, keys] of Object.entries(PARTS)) {
    const given: unknown = Reflect.get(settings, name)
    const isList = Array.isArray(Reflect.get(DEFAULTS, name))
    if (isList && !Array.isArray(given)) refuse(name, 'is not a list. Use a list of objects.')
    const noValues = Object.fromEntries(keys.map((key) => [key, undefined]))
    for (const part of [given].flat()) withDefaults(noValues, part, (problem) => refuse(name, problem))
  }
  for (const name of Object.keys(WORDS) as (keyof typeof WORDS)[])
    checkWord(name, settings[name], WORDS[name])
  for (const { state } of settings.keys) checkWord('keys.state', state, Object.keys(KEY_STATES))
  checkNumber('seed', settings.seed)
  checkNumber('maxSessions', settings.maxSessions)
  checkNumber('recordFrames', settings.recordFrames)
  checkNumber('rechunk', settings.rechunk ?? 0)
  checkNumber('latency.ms', settings.latency.ms)
  checkNumber('latency.jitterMs', settings.latency.jitterMs ?? 0)
  return {
    ...settings,
    now: settings.now ?? now,
    wire: resolveMeetingsWire(settings.wire, (part, problem) => refuse(`wire${part && `.${part}`}`, problem)),
  }
}

function refuse(name: string, problem: string): never {
  throw new Error(`Failed to start the emulator: ${name} ${problem}`)
}

function checkWord(name: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return
  refuse(name, `is "${value}". Choose one of ${words.join(', ')}.`)
}

function checkNumber(name: string, value: number): void {
  if (value >= 0) return
  refuse(name, `is ${value}. Give a number from 0.`)
}
