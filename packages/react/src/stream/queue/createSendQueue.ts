import type { DropReason } from '../../client/events.js'
import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { SendData, Socket } from '../../platform/socket.js'
import type { QueueSettings } from '../machine/settings.js'

/** What became of a `send`. `dropped` covers a call that found the queue full, and one to a stream that has ended. */
export type SendResult = 'sent' | 'queued' | 'dropped'

/** A look at the way out. Counts are over the stream's life. */
export interface OutletStats {
  readonly sent: number
  readonly queued: number
  readonly queuedBytes: number
  /** Bytes in the socket's own buffer. */
  readonly bufferedBytes: number
  readonly dropped: number
  readonly droppedBytes: number
  /** Age of the oldest byte that has not left: how far the peer's ear is behind the speaker's mouth, on this side. */
  readonly latencyMs: number
}

export interface OutletOptions {
  readonly platform: Platform
  readonly settings: () => QueueSettings & { readonly stallMs?: number | undefined }
  readonly onDrop: (reason: DropReason, count: number, bytes: number) => void
  /** The buffer of the socket in use does not drain. */
  readonly onStall: () => void
}

export interface Outlet {
  send(data: SendData): SendResult
  /** Counts a send to a stream that has ended. */
  refuse(data: SendData): void
  /** The socket that data goes to from now on; `undefined`: data waits. */
  attach(socket: Socket | undefined): void
  /** Nothing can be sent any more: gives the socket what it can still take, and drops the rest. */
  end(): void
  /** Monotonic time of the last `send`. */
  readonly lastSendAt: () => number
  stats(): OutletStats
}

const PUMP_MS = 20
const WATCH_MS = 1_000
/** A socket that is retired with a full buffer holds up its successor no longer than this. */
const AHEAD_MS = 1_000
const DEFAULT_MAX_BYTES = 2 ** 20
const HIGH_MARK = 65_536

/**
 * The way out: a queue in order, bounded by bytes and by age, in front of a socket whose buffer is kept short. A frame is handed to a
 * socket once, and never again.
 */
export function createOutlet({ platform, settings, onDrop, onStall }: OutletOptions): Outlet {
  const queue: { data: SendData; bytes: number; at: number }[] = []
  /** When which byte of the socket in use was written; the first is the oldest that has not left. */
  let marks: { upTo: number; at: number }[] = []
  let socket: Socket | undefined
  let written = 0
  let progressAt = 0
  let lastBuffered = 0
  let pump: TimerHandle | undefined
  let queuedBytes = 0
  let sent = 0
  let dropped = 0
  let droppedBytes = 0
  let lastSendAt = -Infinity
  let blocked = false
  /** The socket before, at a rollover: what it still holds goes first. */
  let ahead: { readonly socket: Socket; readonly until: number } | undefined

  function drop(reason: DropReason, count: number, bytes: number): void {
    dropped += count
    droppedBytes += bytes
    onDrop(reason, count, bytes)
  }

  function take(): void {
    queuedBytes -= queue.shift()?.bytes ?? 0
  }

  function forgetOld(): void {
    const oldest = platform.now() - (settings().maxAgeMs ?? 6_000)
    let count = 0
    const before = queuedBytes
    for (; queue[0] && queue[0].at < oldest; count += 1) take()
    if (count) drop('old', count, before - queuedBytes)
  }

  /** The socket's buffer, looked at: what has left is forgotten, and a buffer that shrank is a peer that lives. */
  function look(): number {
    const buffered = socket?.bufferedAmount() ?? 0
    while (marks[0] && marks[0].upTo <= written - buffered) marks.shift()
    if (buffered < lastBuffered || buffered === 0) progressAt = platform.now()
    lastBuffered = buffered
    return buffered
  }

  function write(target: Socket, data: SendData): void {
    const before = target.bufferedAmount()
    target.send(data)
    const after = target.bufferedAmount()
    sent += 1
    lastBuffered = after
    if (after === 0) return
    if (before === 0) progressAt = platform.now()
    written += after - before
    marks.push({ upTo: written, at: platform.now() })
  }

  /** A frame is no longer in the queue when it is handed over: whatever happens then, it goes out once. */
  function drainInto(target: Socket, isFull: () => boolean): void {
    for (let head = queue[0]; head && !isFull(); head = queue[0]) {
      take()
      write(target, head.data)
    }
  }

  function flush(): void {
    forgetOld()
    const { highMark = HIGH_MARK, lowMark = 16_384 } = settings()
    if (ahead && (ahead.socket.bufferedAmount() === 0 || platform.now() >= ahead.until)) ahead = undefined
    const buffered = look()
    blocked = ahead !== undefined || buffered > (blocked ? lowMark : highMark)
    if (socket) drainInto(socket, () => (blocked ||= lastBuffered > highMark))
    schedule()
  }

  function schedule(): void {
    platform.clearTimeout(pump)
    pump = undefined
    if (!socket || (lastBuffered === 0 && queue.length === 0)) return
    const due = platform.now() + (queue.length > 0 ? PUMP_MS : WATCH_MS)
    pump = platform.setTimeout(() => {
      const { stallMs = 5_000 } = settings()
      // A timer that comes late has slept, and what it would conclude is not known.
      if (platform.now() > due + stallMs) progressAt = platform.now()
      look()
      if (platform.now() - progressAt >= stallMs) onStall()
      else flush()
    }, due - platform.now())
  }

  return {
    send(data) {
      lastSendAt = platform.now()
      if (blocked || queue.length > 0) flush()
      const { maxBytes = DEFAULT_MAX_BYTES, drop: policy = 'oldest', highMark = HIGH_MARK } = settings()
      if (socket && !blocked && queue.length === 0) {
        write(socket, data)
        blocked = lastBuffered > highMark
        if (pump === undefined) schedule()
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
      queue.push({ data, bytes, at: platform.now() })
      queuedBytes += bytes
      schedule()
      return 'queued'
    },
    refuse: (data) => drop('ended', 1, sizeOf(data)),
    attach(next) {
      if (socket === next) return
      const unsent = look()
      const frames = marks.length
      ahead = socket && next && unsent > 0 ? { socket, until: platform.now() + AHEAD_MS } : undefined
      socket = next
      marks = []
      written = lastBuffered = 0
      blocked = ahead !== undefined
      if (unsent > 0 && !next) drop('unsent', frames, unsent)
      flush()
    },
    end() {
      if (socket) drainInto(socket, () => false)
      const bytes = queuedBytes
      const count = queue.length
      queue.length = queuedBytes = 0
      if (count) drop('ended', count, bytes)
      socket = undefined
      marks = []
      lastBuffered = 0
      schedule()
    },
    lastSendAt: () => lastSendAt,
    stats() {
      const bufferedBytes = look()
      const oldest = marks[0]?.at ?? queue[0]?.at
      return {
        sent,
        queued: queue.length,
        queuedBytes,
        bufferedBytes,
        dropped,
        droppedBytes,
        latencyMs: oldest === undefined ? 0 : platform.now() - oldest,
      }
    },
  }
}

/** Text counts as the bytes that it takes in memory. */
function sizeOf(data: SendData): number {
  if (typeof data === 'string') return data.length * 2
  return data instanceof Blob ? data.size : data.byteLength
}
