import type { DropReason } from '../../client/events.js'
import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { SendData, Socket } from '../../platform/socket.js'
import type { QueueSettings } from '../machine/settings.js'
import { createBufferMeter } from './createBufferMeter.js'
import { DEFAULT_MAX_BYTES, sizeOf } from './queuedBytes.js'

/** What became of a `send`. `dropped`: the queue was full, or the stream has ended. */
export type SendResult = 'sent' | 'queued' | 'dropped'

/** The queue as of now. Counts are over the stream's life. */
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
  /** The buffer of the socket in use does not drain. */
  readonly onStall: () => void
}

const DRAIN_MS = 20
const WATCH_MS = 1_000
/** After a rollover the new socket waits at most this long for the old socket's buffer. */
const PREVIOUS_SOCKET_MS = 1_000
/** Above so many bytes in the socket's own buffer, sends wait here; below so many, they go on. */
const HIGH_MARK = 65_536
const LOW_MARK = 16_384
/** A send buffer that has not drained at all for this time means a lost connection. */
const STALL_MS = 5_000

/**
 * A queue in order, limited by bytes and by age, before a socket whose buffer is kept short. A message is
 * given to a socket once and never again.
 */
export function createSendQueue({ platform, settings, onDrop, onStall }: SendQueueOptions) {
  const queue: { data: SendData; bytes: number; at: number }[] = []
  const meter = createBufferMeter(platform)
  let socket: Socket | undefined
  let drainTimer: TimerHandle | undefined
  let queuedBytes = 0
  let sent = 0
  let dropped = 0
  let lastSendAt = -Infinity
  let blocked = false
  /** The socket before, at a rollover: what it still holds goes first. */
  let previousSocket: { readonly socket: Socket; readonly until: number } | undefined

  function drop(reason: DropReason, count: number, bytes: number): void {
    dropped += count
    onDrop(reason, count, bytes)
  }

  function take(): void {
    queuedBytes -= queue.shift()?.bytes ?? 0
  }

  function dropExpired(): void {
    const oldest = platform.now() - (settings().maxAgeMs ?? 6_000)
    let count = 0
    const before = queuedBytes
    for (; queue[0] && queue[0].at < oldest; count += 1) take()
    if (count) drop('old', count, before - queuedBytes)
  }

  function write(data: SendData): void {
    meter.write(data)
    sent += 1
  }

  /**
   * A message leaves the queue before it is given to the socket: it is sent once, even if the socket fails.
   */
  function drainQueue(isFull: () => boolean): void {
    for (let head = queue[0]; head && !isFull(); head = queue[0]) {
      take()
      write(head.data)
    }
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

  function schedule(): void {
    platform.clearTimeout(drainTimer)
    drainTimer = undefined
    if (!socket || (meter.buffered() === 0 && queue.length === 0)) return
    const due = platform.now() + (queue.length > 0 ? DRAIN_MS : WATCH_MS)
    drainTimer = platform.setTimeout(() => {
      // A late timer means a sleep, after which nothing is known of the buffer.
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
      if (blocked || queue.length > 0) flush()
      const { maxBytes = DEFAULT_MAX_BYTES, drop: policy = 'oldest' } = settings()
      if (socket && !blocked && queue.length === 0) {
        write(data)
        blocked = meter.buffered() > HIGH_MARK
        if (drainTimer === undefined) schedule()
        return 'sent'
      }
      const bytes = sizeOf(data)
      if (bytes > maxBytes || (policy === 'newest' && queuedBytes + bytes > maxBytes)) {
        drop('full', 1, bytes)
        return 'dropped'
      }
      let count = 0
      const before = queuedBytes
      for (; queuedBytes + bytes > maxBytes; count += 1) take()
      if (count) drop('full', count, before - queuedBytes)
      queue.push({ data, bytes, at })
      queuedBytes += bytes
      schedule()
      return 'queued'
    },
    /** Counts a send to a stream that has ended. */
    refuse: (data: SendData): void => drop('ended', 1, sizeOf(data)),
    /** The socket that data goes to from now on; `undefined`: data waits. */
    attach(next: Socket | undefined): void {
      if (socket === next) return
      const unsentBytes = meter.read()
      const unsent = meter.unsent()
      previousSocket =
        socket && next && unsentBytes > 0 ? { socket, until: platform.now() + PREVIOUS_SOCKET_MS } : undefined
      socket = next
      meter.attach(next)
      blocked = previousSocket !== undefined
      if (unsentBytes > 0 && !next) drop('unsent', unsent, unsentBytes)
      flush()
    },
    /**
     * Nothing can be sent any longer: gives the socket what it can still take if `isFlushed`, and drops the
     * rest.
     */
    end(isFlushed: boolean): void {
      if (socket && isFlushed) drainQueue(() => false)
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
      return {
        sent,
        queued: queue.length,
        bufferedBytes,
        dropped,
        latencyMs: oldest === undefined ? 0 : platform.now() - oldest,
      }
    },
  }
}
