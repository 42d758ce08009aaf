import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { ReceivedData } from '../../platform/socket.js'
import type { StreamSettings } from '../machine/settings.js'

/** Speech that `resend` keeps. */
interface KeptSpeech {
  /** True while there is some that is not final. */
  readonly isUnfinished: () => boolean
  /** From this time on no final text of the last word is expected any longer. */
  readonly lateAt: () => number
  /** True if the service says which speech is final. */
  readonly isExact: () => boolean
}

interface LastWordsOptions {
  readonly platform: Platform
  readonly settings: () => StreamSettings
  /** Number of the open connection; `undefined`: none. */
  readonly generation: () => number | undefined
  /** True while data waits to be sent. */
  readonly isWaiting: () => boolean
  /** How long data may wait. */
  readonly maxWaitMs: () => number
  readonly kept: () => KeptSpeech | undefined
  readonly timeoutMs: number
  /** Called when the last text has come, or when the wait is over without it. */
  readonly onDone: (hasLastText: boolean) => void
}

const CHECK_MS = 50
/** No further text for this time after a final one: it was the last. */
const SETTLED_MS = 500
/** The same, if speech is kept for which no final text was counted. */
const LATE_TEXT_MS = 2_500
/** Without `isFinal`: no further message for this time means that it was the last. */
const PAUSE_MS = 1_000
/** Unfinished speech waits at most this long for a connection. */
const NO_CONNECTION_MS = 10_000

/**
 * Waits until all data is sent, then for the last final text of the service. The wait ends early if no data
 * waits and the stream is not open, or if the connection is lost after all data was sent. While unfinished
 * speech is kept, one other connection may get it.
 */
export function createLastWords(options: LastWordsOptions) {
  const { platform, settings, generation, isWaiting, maxWaitMs, kept, timeoutMs, onDone } = options
  const startedAt = platform.now()
  let current = generation()
  let connections = current === undefined ? 0 : 1
  let closedAt = startedAt
  let sentAt: number | undefined
  let lastTextAt = Infinity
  let hasText = false
  let isFinal = true
  /** The last text has come, although more speech is kept. */
  let isSettled = false
  let isDone = false
  let timer: TimerHandle | undefined

  /** Another connection gets the unfinished speech again. */
  function follow(now: number): void {
    const next = generation()
    if (next === current) return
    if (next === undefined) closedAt = now
    else connections += 1
    current = next
    if (!kept()?.isUnfinished()) return
    sentAt = undefined
    lastTextAt = Infinity
  }

  function isOver(now: number): boolean {
    follow(now)
    const isOpen = current !== undefined
    if (isOpen && !isWaiting()) sentAt ??= now
    const speech = kept()
    if (speech?.isUnfinished()) {
      if (!isOpen) return connections > 1 || now - closedAt >= NO_CONNECTION_MS
      // Without times, fewer texts than utterances may come.
      isSettled = !speech.isExact() && isFinal && now - lastTextAt >= LATE_TEXT_MS
      if (sentAt === undefined) return false
      return isSettled || now >= Math.max(sentAt + timeoutMs, speech.lateAt())
    }
    if (sentAt === undefined) return !isWaiting() || now - startedAt >= maxWaitMs()
    const quietMs = settings().setup?.isFinal ? SETTLED_MS : PAUSE_MS
    return !isOpen || now - sentAt >= timeoutMs || (isFinal && now - lastTextAt >= quietMs)
  }

  /** True if all data was sent, and its last text has come. */
  function hasLastText(): boolean {
    if (sentAt === undefined) return false
    const speech = kept()
    return speech ? isSettled || !speech.isUnfinished() : hasText && isFinal
  }

  function checkIn(ms: number): void {
    timer = platform.setTimeout(() => {
      if (!isOver(platform.now())) return checkIn(CHECK_MS)
      isDone = hasLastText()
      onDone(isDone)
    }, ms)
  }

  let end: (isDone: boolean) => void = () => {}
  const ended = new Promise<boolean>((resolve) => (end = resolve))
  checkIn(0)
  return {
    /** Resolves at `stop`, with true if the last text has come. */
    ended,
    received(data: ReceivedData): void {
      const { setup } = settings()
      const final = setup?.isFinal ? setup.isFinal(data) : true
      if (final === undefined) return
      hasText = true
      isFinal = final
      // More may follow a message that comes before all data is sent.
      if (sentAt === undefined) return
      lastTextAt = platform.now()
    },
    stop(): void {
      platform.clearTimeout(timer)
      end(isDone)
    },
  }
}
