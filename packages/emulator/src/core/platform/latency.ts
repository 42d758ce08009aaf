import { createRandom } from './random.js'

/**
 * Round trip between the client and the emulator, in milliseconds: half of it before a request is read, half
 * before its response is sent.
 */
export interface Latency {
  ms: number
  /** Up to this much is added at random. */
  jitterMs?: number | undefined
}

export function createLatency({ ms, jitterMs = 0 }: Latency, seed: number) {
  const random = createRandom(seed)
  return {
    /** One way of one request. */
    oneWayMs: (): number => (ms === 0 && jitterMs === 0 ? 0 : (ms + random.next() * jitterMs) / 2),
    reset: (): void => random.reset(),
  }
}
