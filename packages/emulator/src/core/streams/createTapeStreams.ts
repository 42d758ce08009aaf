import {
  handshakesOf,
  parseTape,
  type Product,
  type RefusalCause,
  type TapedConnection,
  type TapedData,
  type TapedRefusal,
} from '@stagepass/contract'
import { createRandom } from '../platform/random.js'
import type { SessionTokenRow } from '../store/rows.js'
import type { CreateProductStream } from './ProductStream.js'

type Message = TapedConnection['received'][number]

/** A close that no side sent: the network cut the connection. */
const NO_CLOSE = 1006

export type TapeStreams = ReturnType<typeof createTapeStreams>

/** What the service does with a handshake: it opens this stream, refuses it, or does not respond. */
type Played = CreateProductStream | { readonly refused: RefusalCause } | 'no response'

/**
 * The streams of a tape. Each handshake of a product plays the next one of the tape: its connection with every
 * message at its time after the opening, or its failure. What the page sends is ignored. Sound that is not on
 * the tape is silence. `seed`: sound comes in chunks of other sizes, the same ones for the same seed.
 */
export function createTapeStreams(text: string, seed: number | undefined) {
  const recorded = handshakesOf(parseTape(text)).map((handshake, index) =>
    seed === undefined || !('received' in handshake)
      ? handshake
      : { ...handshake, received: rechunk(handshake.received, seed + index) },
  )
  const played = new Map<Product, number>()
  /** The failed handshakes of pages that could not see the reason, by token. */
  const unseen = new Map<string, TapedRefusal>()

  return {
    /** What the handshake plays; `undefined` after the end of the tape: the service as usual. */
    next(
      { product, sessionKey }: Pick<SessionTokenRow, 'product' | 'sessionKey'>,
      hasHeader: boolean,
    ): Played | undefined {
      const checked = hasHeader ? unseen.get(sessionKey) : undefined
      // The BFF tries the handshake of a browser again, to see the reason. The page sees no other connection.
      if (checked) return checked.refused === undefined ? undefined : { refused: checked.refused }
      const number = played.get(product) ?? 0
      played.set(product, number + 1)
      const handshake = recorded.filter((one) => one.product === product)[number]
      if (!handshake) return undefined
      if ('received' in handshake) return play(handshake)
      if (!hasHeader) unseen.set(sessionKey, handshake)
      return handshake.refused === undefined ? 'no response' : { refused: handshake.refused }
    },
    reset(): void {
      played.clear()
      unseen.clear()
    },
  }
}

const play =
  ({ received, close }: TapedConnection): CreateProductStream =>
  (output, { now, after }) => {
    const openedAt = now()
    const steps = received.map(({ afterMs, data }) => ({
      afterMs,
      act: () => output.send(typeof data === 'string' ? data : soundOf(data)),
    }))
    if (close)
      steps.push({
        afterMs: close.afterMs,
        act: () => (close.code === NO_CLOSE ? output.drop() : output.close(close.code, close.reason)),
      })
    // From the opening, because the delays of many timers would add up.
    const runFrom = (first: number): void => {
      const dueMs = steps[first]?.afterMs
      if (dueMs === undefined) return
      after(Math.max(0, dueMs - (now() - openedAt)), () => {
        // Messages of the same time come together: each timer takes a millisecond.
        let next = first
        for (let step = steps[next]; step && step.afterMs <= dueMs; step = steps[next]) {
          next += 1
          step.act()
        }
        runFrom(next)
      })
    }
    runFrom(0)
    return { onText: () => undefined, onBinary: () => undefined }
  }

const soundOf = (data: Exclude<TapedData, string>): Uint8Array =>
  typeof data === 'number' ? new Uint8Array(data) : data

/** The same messages, with the bytes between two texts in other chunks. No byte comes earlier. */
function rechunk(received: readonly Message[], seed: number): Message[] {
  const random = createRandom(seed)
  const frames = received.flatMap(({ data }) => (typeof data === 'string' ? [] : [soundOf(data).length]))
  const mostBytes = Math.max(2, 2 * Math.max(0, ...frames))
  // Whole samples.
  const nextSize = (): number => 2 * random.int(1, mostBytes / 2)
  const chunks: Message[] = []
  let size = nextSize()
  let waiting = new Uint8Array()
  let lastMs = 0
  for (const message of received) {
    const { afterMs, data } = message
    if (typeof data === 'string') {
      flush()
      chunks.push(message)
      continue
    }
    lastMs = afterMs
    waiting = joined(waiting, soundOf(data))
    for (; waiting.length >= size; size = nextSize()) {
      chunks.push({ afterMs, data: waiting.slice(0, size) })
      waiting = waiting.subarray(size)
    }
  }
  flush()
  return chunks

  function flush(): void {
    if (waiting.length > 0) chunks.push({ afterMs: lastMs, data: waiting })
    waiting = new Uint8Array()
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}
