import type { SendData } from '../../platform/socket.js'
import type { SendQueue } from './createSendQueue.js'
import { DEFAULT_MAX_BYTES, sizeOf } from './queuedBytes.js'

/** What is sent to a stream before its code is here. */
export interface EarlySends {
  /** Keeps the message. Over the queue's default of `maxBytes`, the oldest messages are dropped. */
  add(data: SendData, now: number): void
  /** Gives the stream what was kept, each message with its time, and what was dropped. */
  moveTo(stream: Pick<SendQueue, 'send' | 'countDropped'>): void
  /** Drops what was kept. */
  drop(): void
  readonly queued: () => number
  readonly dropped: () => number
}

export function createEarlySends(): EarlySends {
  const sends: { readonly data: SendData; readonly at: number }[] = []
  let bytes = 0
  let dropped = 0
  let droppedBytes = 0
  return {
    add(data, at) {
      sends.push({ data, at })
      bytes += sizeOf(data)
      while (bytes > DEFAULT_MAX_BYTES) {
        const size = sizeOf((sends.shift() as { data: SendData }).data)
        bytes -= size
        droppedBytes += size
        dropped += 1
      }
    },
    moveTo(stream) {
      if (dropped > 0) stream.countDropped(dropped, droppedBytes)
      for (const { data, at } of sends) stream.send(data, at)
    },
    drop() {
      dropped += sends.length
      droppedBytes += bytes
      sends.length = bytes = 0
    },
    queued: () => sends.length,
    dropped: () => dropped,
  }
}
