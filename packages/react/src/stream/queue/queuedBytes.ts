import type { SendData } from '../../platform/socket.js'

/** Default of `maxBytes`. */
export const DEFAULT_MAX_BYTES = 2 ** 20

/** What a message counts in the queue. Text counts as the bytes that it takes in memory. */
export function sizeOf(data: SendData): number {
  if (typeof data === 'string') return data.length * 2
  return data instanceof Blob ? data.size : data.byteLength
}
