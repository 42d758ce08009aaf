import type { SendData } from '../../platform/socket.js'

/** Size of a message in the queue. Text counts with its size in memory. */
export function sizeOf(data: SendData): number {
  if (typeof data === 'string') return data.length * 2
  return data instanceof Blob ? data.size : data.byteLength
}
