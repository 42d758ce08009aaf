import type { Product } from '@stagepass/contract'
import { perClient } from '../client/perClient.js'
import { createListeners } from '../platform/createListeners.js'
import type { LiveToken } from './TokenSource.js'
import type { VoiceError } from '../VoiceError.js'

/*
 * How long the streams of a product are open counts for the token that is current at that time, also if a
 * socket was opened with the one before. A token is reported when its source no longer has it: it was
 * replaced, it has expired, the page is left, or its last stream has ended. So no report is followed by a
 * connection with the same token. One that the package alone has held, and no stream has used, is reported as
 * unused.
 */

/** How long streams of a product were open with its current token. */
interface UsedTime {
  /** Streams that are open now. */
  open: number
  /** Until when the time is counted. */
  countedAt: number
  usedMs: number
}

interface UsageReport {
  readonly receipt: string
  readonly used_ms: number
}

/** So often a report that failed is sent again. The BFF takes it until a minute after the token's end. */
const REPEATS = 5
const REPEAT_MS = 2_000

/** Counts how long the streams of each product of a client are open, and reports it. */
export const usageOf = perClient(({ platform, request, signal }) => {
  const times = new Map<Product, UsedTime>()
  /** Tokens that code of the application has got, and may use. */
  const given = new WeakSet<LiveToken>()
  const mints = createListeners()
  const answers = createListeners<[answer: Readonly<Record<string, unknown>>]>()

  /** Counted up to now. */
  function used(product: Product): UsedTime {
    const now = platform.now()
    const time = times.get(product) ?? { open: 0, countedAt: now, usedMs: 0 }
    times.set(product, time)
    time.usedMs += time.open * (now - time.countedAt)
    time.countedAt = now
    return time
  }

  function send(json: UsageReport, repeats: number): void {
    // The requests of a user who has left are not sent.
    if (signal.aborted) return
    // Of the page that is left, it is all that can be done. Any other page tries again.
    request({ route: '/usage', json, keepalive: true }).then(answers.notify, (error: VoiceError) => {
      if (!error.retryable || repeats === 0) return
      platform.setTimeout(() => send(json, repeats - 1), error.retryAfterMs ?? REPEAT_MS)
    })
  }

  return {
    used,
    /** A stream of the product is open, or no longer is. */
    count(product: Product, change: 1 | -1): void {
      used(product).open += change
    },
    /** The application has got this token. */
    give: (token: LiveToken): void => void given.add(token),
    /** A source has a new token. */
    begin({ receipt }: LiveToken): void {
      if (receipt) mints.notify()
    },
    /** A source no longer has this token. */
    end(token: LiveToken): void {
      const time = used(token.product)
      const { usedMs } = time
      // What follows counts for the next token.
      time.usedMs = 0
      const { receipt } = token
      // Code of the application may still use a token that it got.
      if (receipt === undefined || (usedMs === 0 && given.has(token))) return
      send({ receipt, used_ms: Math.ceil(usedMs) }, REPEATS)
    },
    /** Streams have used this token, and none does: its time is reported when its source drops it. */
    isOver({ product, receipt }: LiveToken): boolean {
      if (!receipt) return false
      const { open, usedMs } = used(product)
      return usedMs > 0 && open === 0
    },
    /** Calls back when a token was minted whose minutes are counted. Returns its undo. */
    onMint: mints.subscribe,
    /** Calls back with what the BFF answered to a report. Returns its undo. */
    onAnswer: answers.subscribe,
  }
})
