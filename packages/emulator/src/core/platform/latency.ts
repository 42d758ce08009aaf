import { createRandom } from './random.js'

/**
 * Round trip between the client and the emulator, in milliseconds. Half of it passes before a request is
 * read, and half before its response is sent.
 */
export interface Latency {
  ms: number
  /** Up to this much is added at random. */
  jitterMs?: number | undefined
}

export function createLatency({ ms, jitterMs = 0 }: Latency, seed: number) {
  const random = createRandom(seed)
  return {
    /** The delay of one direction of a request. */
    oneWayMs: (): number => (ms === 0 && jitterMs === 0 ? 0 : (ms + random.next() * jitterMs) / 2),
    reset: (): void => random.reset(),
  }
}
