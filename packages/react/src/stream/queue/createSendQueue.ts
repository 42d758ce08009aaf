import type { DropReason } from '../../events/events.js'
import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { SendData, Socket } from '../../platform/socket.js'
import { MAX_QUEUE_AGE_MS, MAX_QUEUE_BYTES, type QueueSettings } from '../machine/settings.js'
import { createBufferMeter } from './createBufferMeter.js'
import type { SoundLane } from './SoundLane.js'

/** Result of a `send`. `dropped`: the queue was full, or the stream has ended. */
export type SendResult = 'sent' | 'queued' | 'dropped'

/** The current state of the queue. Counts are since the stream began. */
export interface SendQueueStats {
  readonly sent: number
  readonly queued: number
  /** Bytes in the socket's own buffer. */
  readonly bufferedBytes: number
  readonly dropped: number
  /** Age of the oldest byte that has not been sent. */
  readonly latencyMs: number
}

interface SendQueueOptions {
  readonly platform: Platform
  readonly settings: () => QueueSettings
  readonly onDrop: (reason: DropReason, count: number, bytes: number) => void
  /** Called if the buffer of the current socket does not drain. */
  readonly onStall: () => void
}

const DRAIN_MS = 20
const WATCH_MS = 1_000
/** After a rollover the new socket waits at most this long for the old socket's buffer. */
const PREVIOUS_SOCKET_MS = 1_000
/** Sends wait here above this many bytes in the socket's own buffer, until it holds at most `LOW_MARK`. */
const HIGH_MARK = 65_536
const LOW_MARK = 16_384
/** If the send buffer has not drained at all for this time, the connection is lost. */
const STALL_MS = 5_000

/**
 * A first-in, first-out queue with limits of bytes and age. It keeps the socket's own buffer small. Each
 * message is passed to a socket only once.
 */
export function createSendQueue({ platform, settings, onDrop, onStall }: SendQueueOptions) {
  /** `after`: it waits for the sound before this position of the lane. */
  const queue: { data: SendData; bytes: number; at: number; after: number }[] = []
  const meter = createBufferMeter(platform)
  let lane: SoundLane | undefined
  let socket: Socket | undefined
  let drainTimer: TimerHandle | undefined
  let drainAt = Infinity
  let queuedBytes = 0
  let sent = 0
  let dropped = 0
  let lastSendAt = -Infinity
  let blocked = false
  /** The previous socket of a rollover. The data in its buffer goes first. */
  let previousSocket: { readonly socket: Socket; readonly until: number } | undefined

  function drop(reason: DropReason, count: number, bytes: number): void {
    dropped += count
    onDrop(reason, count, bytes)
  }

  function removeFirst(): void {
    queuedBytes -= queue.shift()?.bytes ?? 0
  }

  function dropExpired(): void {
    const oldest = platform.now() - (settings().maxAgeMs ?? MAX_QUEUE_AGE_MS)
    let count = 0
    const before = queuedBytes
    for (; queue[0] && queue[0].at < oldest; count += 1) removeFirst()
    if (count) drop('old', count, before - queuedBytes)
  }

  function write(data: SendData, isKept = false): void {
    meter.write(data, isKept)
    sent += 1
  }

  /** Sends the sound that is before the first message of the queue. Returns false if some of it still waits. */
  function drainLane(until: number, isFull: () => boolean, isPaced: boolean): boolean {
    if (!lane) return true
    while (!isFull()) {
      const sound = lane.next(until, isPaced)
      if (!sound) break
      write(sound as Uint8Array<ArrayBuffer>, true)
      lane.sent(sound.byteLength)
    }
    return lane.cursor() >= Math.min(until, lane.end())
  }

  /**
   * A message leaves the queue before it is passed to the socket, so it is sent once, even if the socket
   * fails.
   */
  function drainQueue(isFull: () => boolean, isPaced = true): void {
    for (let head = queue[0]; head && !isFull(); head = queue[0]) {
      if (!drainLane(head.after, isFull, isPaced)) return
      removeFirst()
      write(head.data)
    }
    drainLane(Infinity, isFull, isPaced)
  }

  function flush(): void {
    dropExpired()
    if (
      previousSocket &&
      (previousSocket.socket.bufferedAmount() === 0 || platform.now() >= previousSocket.until)
    ) {
      previousSocket = undefined
    }
    const buffered = meter.read()
    blocked = previousSocket !== undefined || buffered > (blocked ? LOW_MARK : HIGH_MARK)
    if (socket) drainQueue(() => (blocked ||= meter.buffered() > HIGH_MARK))
    schedule()
  }

  function unschedule(): void {
    if (drainTimer !== undefined) platform.clearTimeout(drainTimer)
    drainTimer = undefined
    drainAt = Infinity
  }

  function schedule(): void {
    const isWaiting = queue.length > 0 || (lane?.waiting() ?? 0) > 0
    if (!socket || (meter.buffered() === 0 && !isWaiting)) return unschedule()
    const due = platform.now() + (isWaiting ? DRAIN_MS : WATCH_MS)
    // A later time for each frame would never come.
    if (due >= drainAt) return
    unschedule()
    drainAt = due
    drainTimer = platform.setTimeout(() => {
      unschedule()
      // A late timer means that the machine slept. The time before it says nothing about the buffer.
      if (platform.now() > due + STALL_MS) meter.restart()
      meter.read()
      if (meter.stalledMs() >= STALL_MS) onStall()
      else flush()
    }, due - platform.now())
  }

  return {
    send(data: SendData): SendResult {
      const at = platform.now()
      lastSendAt = at
      if (lane?.push(data, at)) {
        flush()
        return lane.waiting() > 0 ? 'queued' : 'sent'
      }
      if (blocked || queue.length > 0) flush()
      const { maxBytes = MAX_QUEUE_BYTES, drop: policy = 'oldest' } = settings()
      if (socket && !blocked && queue.length === 0 && !lane?.waiting()) {
        write(data)
        blocked = meter.buffered() > HIGH_MARK
        schedule()
        return 'sent'
      }
      const bytes = sizeOf(data)
      if (bytes > maxBytes || (policy === 'newest' && queuedBytes + bytes > maxBytes)) {
        drop('full', 1, bytes)
        return 'dropped'
      }
      let count = 0
      const before = queuedBytes
      for (; queuedBytes + bytes > maxBytes; count += 1) removeFirst()
      if (count) drop('full', count, before - queuedBytes)
      queue.push({ data, bytes, at, after: lane?.end() ?? 0 })
      queuedBytes += bytes
      schedule()
      return 'queued'
    },
    /** Counts data that is dropped elsewhere. */
    drop,
    /** Sound takes this lane from now on, also what waits now. */
    useLane(next: SoundLane): void {
      lane = next
      const waiting = queue.splice(0)
      queuedBytes = 0
      for (const message of waiting) {
        if (next.push(message.data, message.at)) continue
        queue.push({ ...message, after: next.end() })
        queuedBytes += message.bytes
      }
      flush()
    },
    /** Counts a send to a stream that has ended. */
    refuse: (data: SendData): void => drop('ended', 1, sizeOf(data)),
    /** Sends data to this socket from now on; `undefined`: data waits. */
    attach(next: Socket | undefined): void {
      if (socket === next) return
      const unsentBytes = meter.read()
      const unsent = meter.unsent()
      previousSocket =
        socket && next && unsentBytes > 0 ? { socket, until: platform.now() + PREVIOUS_SOCKET_MS } : undefined
      socket = next
      meter.attach(next)
      blocked = previousSocket !== undefined
      // Sound of the lane is not lost.
      if (unsent > 0 && !next) drop('unsent', unsent, unsentBytes)
      flush()
    },
    /** Ends the queue. With `isFlushed` the data goes to the socket, if there is one. The rest is dropped. */
    end(isFlushed: boolean): void {
      if (socket && isFlushed) drainQueue(() => false, false)
      const bytes = queuedBytes
      const count = queue.length
      queue.length = queuedBytes = 0
      if (count) drop('ended', count, bytes)
      socket = undefined
      meter.attach(undefined)
      schedule()
    },
    /** Monotonic time of the last `send`. */
    lastSendAt: (): number => lastSendAt,
    stats(): SendQueueStats {
      const bufferedBytes = meter.read()
      const oldest = meter.oldestAt() ?? queue[0]?.at
      const latencyMs = oldest === undefined ? 0 : platform.now() - oldest
      return {
        sent,
        queued: queue.length + (lane?.waiting() ?? 0),
        bufferedBytes,
        dropped,
        latencyMs: Math.max(latencyMs, lane?.waitsMs() ?? 0),
      }
    },
  }
}

/** Size of a message in the queue. Text counts with its size in memory. */
function sizeOf(data: SendData): number {
  if (typeof data === 'string') return data.length * 2
  return data instanceof Blob ? data.size : data.byteLength
}
