import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { ReceivedData } from '../../platform/socket.js'
import type { StreamSettings } from '../machine/settings.js'

interface LastWordsOptions {
  readonly platform: Platform
  readonly settings: () => StreamSettings
  readonly isOpen: () => boolean
  /** True while data waits to be sent. */
  readonly isWaiting: () => boolean
  readonly timeoutMs: number
  /** Called when the last text has come, or when the wait is over. */
  readonly onDone: () => void
}

const CHECK_MS = 50
/** No further text for this time after a final one: it was the last. */
const SETTLED_MS = 500
/** Without `isFinal`: no further message for this time means that it was the last. */
const PAUSE_MS = 1_000

/**
 * Waits until all data is sent, then for the last final text of the service. The wait ends early if no data
 * waits and the stream is not open, or if the connection is lost after all data was sent.
 */
export function createLastWords(options: LastWordsOptions) {
  const { platform, settings, isOpen, isWaiting, timeoutMs, onDone } = options
  const startedAt = platform.now()
  let sentAt: number | undefined
  let lastTextAt = Infinity
  let isFinal = true
  let timer: TimerHandle | undefined

  function isOver(now: number): boolean {
    if (isOpen() && !isWaiting()) sentAt ??= now
    // Data that waits longer than this would be dropped.
    if (sentAt === undefined) return !isWaiting() || now - startedAt >= (settings().queue?.maxAgeMs ?? 6_000)
    const quietMs = settings().setup?.isFinal ? SETTLED_MS : PAUSE_MS
    return !isOpen() || now - sentAt >= timeoutMs || (isFinal && now - lastTextAt >= quietMs)
  }

  function checkIn(ms: number): void {
    timer = platform.setTimeout(() => (isOver(platform.now()) ? onDone() : checkIn(CHECK_MS)), ms)
  }

  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  checkIn(0)
  return {
    /** Resolves at `stop`. */
    ended,
    received(data: ReceivedData): void {
      const { setup } = settings()
      const final = setup?.isFinal ? setup.isFinal(data) : true
      // A message that comes before all data is sent is not the last.
      if (final === undefined || sentAt === undefined) return
      isFinal = final
      lastTextAt = platform.now()
    },
    stop(): void {
      platform.clearTimeout(timer)
      end()
    },
  }
}
