import { connectionsOf, parseTape, type Product, type TapedConnection } from '@stagepass/contract'
import { createRandom } from '../platform/random.js'
import type { CreateProductStream } from './ProductStream.js'

type Message = TapedConnection['received'][number]

/** A close that no side sent: the network cut the connection. */
const NO_CLOSE = 1006

/**
 * The streams of a tape. Each connection of a product plays the next one of the tape: every message at its
 * time after the opening, sound as silence of the same length, and the close. What the page sends is ignored.
 * `seed`: sound comes in chunks of other sizes, the same ones for the same seed.
 */
export function createTapeStreams(text: string, seed: number | undefined) {
  const recorded = connectionsOf(parseTape(text)).map((connection, index) =>
    seed === undefined ? connection : { ...connection, received: rechunk(connection.received, seed + index) },
  )
  const played = new Map<Product, number>()

  return {
    /** The next connection of the product; `undefined` after the last one. */
    next(product: Product): CreateProductStream | undefined {
      const number = played.get(product) ?? 0
      played.set(product, number + 1)
      const connection = recorded.filter((one) => one.product === product)[number]
      return connection && play(connection)
    },
    reset: (): void => played.clear(),
  }
}

const play =
  ({ received, close }: TapedConnection): CreateProductStream =>
  (output, { now, after }) => {
    const openedAt = now()
    const steps = received.map(({ afterMs, data }) => ({
      afterMs,
      act: () => output.send(typeof data === 'string' ? data : new Uint8Array(data)),
    }))
    if (close)
      steps.push({
        afterMs: close.afterMs,
        act: () => (close.code === NO_CLOSE ? output.drop() : output.close(close.code, close.reason)),
      })
    // From the opening, because the delays of many timers would add up.
    const runFrom = (index: number): void => {
      const step = steps[index]
      if (!step) return
      after(Math.max(0, step.afterMs - (now() - openedAt)), () => {
        step.act()
        runFrom(index + 1)
      })
    }
    runFrom(0)
    return { onText: () => undefined, onBinary: () => undefined }
  }

/** The same messages, with the bytes between two texts in other chunks. No byte comes earlier. */
function rechunk(received: readonly Message[], seed: number): Message[] {
  const random = createRandom(seed)
  const frames = received.flatMap(({ data }) => (typeof data === 'number' ? [data] : []))
  const mostBytes = Math.max(2, 2 * Math.max(0, ...frames))
  // Whole samples.
  const nextSize = (): number => 2 * random.int(1, mostBytes / 2)
  const chunks: Message[] = []
  let size = nextSize()
  let waiting = 0
  let lastMs = 0
  const flush = (): void => {
    if (waiting > 0) chunks.push({ afterMs: lastMs, data: waiting })
    waiting = 0
  }
  for (const message of received) {
    const { afterMs, data } = message
    if (typeof data === 'string') {
      flush()
      chunks.push(message)
      continue
    }
    lastMs = afterMs
    for (waiting += data; waiting >= size; size = nextSize()) {
      chunks.push({ afterMs, data: size })
      waiting -= size
    }
  }
  flush()
  return chunks
}
