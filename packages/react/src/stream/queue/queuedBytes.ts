import type { SendData } from '../../platform/socket.js'

/** Default of `maxBytes`. */
export const DEFAULT_MAX_BYTES = 2 ** 20

/** Size of a message in the queue. Text counts with its size in memory. */
export function sizeOf(data: SendData): number {
  if (typeof data === 'string') return data.length * 2
  return data instanceof Blob ? data.size : data.byteLength
}
