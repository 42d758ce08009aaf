import type { Random } from './random.js'

/** Round trip between the client and the emulator, in milliseconds: half of it before a request is looked at, half before its answer leaves. */
export interface Latency {
  ms: number
  /** Up to this much is added at random. */
  jitterMs?: number | undefined
}

/** One way of one request. */
export function createOneWay({ ms, jitterMs = 0 }: Latency, random: Random): () => number {
  return () => (ms === 0 && jitterMs === 0 ? 0 : (ms + random.next() * jitterMs) / 2)
}
