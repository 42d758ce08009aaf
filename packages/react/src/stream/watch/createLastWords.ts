import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { ReceivedData } from '../../platform/socket.js'
import type { StreamSettings } from '../machine/settings.js'

interface LastWordsOptions {
  readonly platform: Platform
  readonly settings: () => StreamSettings
  readonly isOpen: () => boolean
  /** True while something waits to be sent. */
  readonly isWaiting: () => boolean
  readonly timeoutMs: number
  /** The service has said all, or will not. */
  readonly onDone: () => void
}

const CHECK_MS = 50
/** After a final text the next one may begin: so long it must not. */
const SETTLED_MS = 500
/** Without `isFinal`: so long nothing must come after a message. */
const PAUSE_MS = 1_000

/**
 * Waits until all is sent, then for the last final text of the service. It ends early if there is nothing to
 * send to a stream that is not open, and when the connection is lost after all was sent.
 */
export function createLastWords(options: LastWordsOptions) {
  const { platform, settings, isOpen, isWaiting, timeoutMs, onDone } = options
  const startedAt = platform.now()
  let sentAt: number | undefined
  let heardAt = Infinity
  let isFinal = true
  let timer: TimerHandle | undefined

  function isOver(now: number): boolean {
    if (isOpen() && !isWaiting()) sentAt ??= now
    // What waits longer than that would be dropped.
    if (sentAt === undefined) return !isWaiting() || now - startedAt >= (settings().queue?.maxAgeMs ?? 6_000)
    const quietMs = settings().setup?.isFinal ? SETTLED_MS : PAUSE_MS
    return !isOpen() || now - sentAt >= timeoutMs || (isFinal && now - heardAt >= quietMs)
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
    hear(data: ReceivedData): void {
      const { setup } = settings()
      const final = setup?.isFinal ? setup.isFinal(data) : true
      // What comes before all is sent is not the last.
      if (final === undefined || sentAt === undefined) return
      isFinal = final
      heardAt = platform.now()
    },
    stop(): void {
      platform.clearTimeout(timer)
      end()
    },
  }
}
