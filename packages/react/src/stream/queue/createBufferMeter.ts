import type { Platform } from '../../platform/platform.js'
import type { SendData, Socket } from '../../platform/socket.js'

/** Measures the buffer of the current socket: how much it holds, since when, and whether it drains. */
export function createBufferMeter(platform: Platform) {
  let socket: Socket | undefined
  /** The writes that are still in the buffer, the oldest first. `upTo`: sum of all written bytes. */
  let writes: { upTo: number; at: number; isKept: boolean }[] = []
  let written = 0
  let buffered = 0
  let progressAt = 0

  return {
    /** Measures another socket from now on. */
    attach(next: Socket | undefined): void {
      socket = next
      writes = []
      written = buffered = 0
    },
    /** `isKept`: it is not lost with the socket. */
    write(data: SendData, isKept: boolean): void {
      if (!socket) return
      const before = socket.bufferedAmount()
      socket.send(data)
      buffered = socket.bufferedAmount()
      if (buffered === 0) return
      const at = platform.now()
      if (before === 0) progressAt = at
      written += buffered - before
      writes.push({ upTo: written, at, isKept })
    },
    /** Returns the bytes in the buffer. Forgets the writes that have left it. */
    read(): number {
      const left = socket?.bufferedAmount() ?? 0
      while (writes[0] && writes[0].upTo <= written - left) writes.shift()
      if (left < buffered || left === 0) progressAt = platform.now()
      buffered = left
      return left
    },
    /** Bytes in the buffer at the last read or write. */
    buffered: (): number => buffered,
    /** Writes that have not left the buffer and would be lost with the socket. */
    unsent: (): number => writes.filter(({ isKept }) => !isKept).length,
    /** Monotonic time of the oldest write that has not left the buffer. */
    oldestAt: (): number | undefined => writes[0]?.at,
    /** Time since the buffer last drained. */
    stalledMs: (): number => platform.now() - progressAt,
    /** Measures `stalledMs` from now on. */
    restart(): void {
      progressAt = platform.now()
    },
  }
}
