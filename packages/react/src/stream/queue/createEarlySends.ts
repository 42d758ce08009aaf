import type { SendData } from '../../platform/socket.js'
import { DEFAULT_MAX_BYTES, sizeOf } from './queuedBytes.js'

interface Receiver {
  send(data: SendData, at: number): void
  countDropped(count: number, bytes: number): void
}

/** What is sent to a stream before its code is here. */
export function createEarlySends() {
  const sends: { readonly data: SendData; readonly at: number }[] = []
  let bytes = 0
  let dropped = 0
  let droppedBytes = 0
  return {
    /** Keeps the message. Over the queue's default of `maxBytes`, the oldest messages are dropped. */
    add(data: SendData, at: number): void {
      sends.push({ data, at })
      bytes += sizeOf(data)
      while (bytes > DEFAULT_MAX_BYTES) {
        const size = sizeOf((sends.shift() as { data: SendData }).data)
        bytes -= size
        droppedBytes += size
        dropped += 1
      }
    },
    /** Gives the stream what was kept, each message with its time, and what was dropped. */
    moveTo(stream: Receiver): void {
      if (dropped > 0) stream.countDropped(dropped, droppedBytes)
      for (const { data, at } of sends) stream.send(data, at)
    },
    /** Drops what was kept. */
    drop(): void {
      dropped += sends.length
      droppedBytes += bytes
      sends.length = bytes = 0
    },
    queued: (): number => sends.length,
    dropped: (): number => dropped,
  }
}
