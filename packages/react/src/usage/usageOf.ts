import type { Product } from '@stagepass/contract'
import { perClient } from '../identity/perClient.js'
import { createListeners } from '../events/createListeners.js'
import type { VoiceError } from '../errors/VoiceError.js'

/*
 * The open time of a product's streams counts for the token that is current at that time, even if a socket
 * was opened with the previous one. A token is reported when its source drops it: it was replaced or has
 * expired, the page is left, or its last stream has ended. Therefore no connection is opened with a token
 * after its report. A token that the application never got and no stream has used is reported as unused.
 *
 * The request for the next token has the report of the token that it replaces, or of the last one if its
 * report got no response yet. So the BFF gives its minutes to the next token. No other report of it is sent if
 * the request succeeds. If it fails, the token goes on counting.
 */

/** How long streams of a product were open with its current token. */
interface UsedTime {
  /** Streams that are open now. */
  open: number
  /** Streams that need a token now: they are open, or are being opened. */
  needed: number
  /** The time up to which `usedMs` is counted. */
  countedAt: number
  usedMs: number
  /** The last report, sent by itself or with a request for a token. `undefined` if it has succeeded. */
  last?: UsageReport | undefined
}

/** The part of a token that its usage needs. */
interface CountedToken {
  readonly product: Product
  readonly receipt?: string | undefined
}

export interface UsageReport {
  readonly receipt: string
  readonly used_ms: number
}

/** How many times a failed report is repeated. The BFF accepts it until a minute after the token's end. */
const REPEATS = 5
const REPEAT_MS = 2_000

/** Counts how long the streams of each product of a client are open, and reports it. */
export const usageOf = perClient(({ platform, request, signal }) => {
  const times = new Map<Product, UsedTime>()
  /** Tokens that the application has got, and may use itself. */
  const given = new WeakSet<CountedToken>()
  const mints = createListeners()
  const answers = createListeners<[answer: Readonly<Record<string, unknown>>]>()

  /** Returns the time, counted up to now. */
  function used(product: Product): UsedTime {
    const now = platform.now()
    const time = times.get(product) ?? { open: 0, needed: 0, countedAt: now, usedMs: 0 }
    times.set(product, time)
    time.usedMs += time.open * (now - time.countedAt)
    time.countedAt = now
    return time
  }

  /** The report of a token; `undefined` if its life counts without one. */
  function reportOf(token: CountedToken): UsageReport | undefined {
    const { usedMs } = used(token.product)
    const { receipt } = token
    // The application may still use a token that it got.
    if (receipt === undefined || (usedMs === 0 && given.has(token))) return undefined
    return { receipt, used_ms: Math.ceil(usedMs) }
  }

  function send(product: Product, json: UsageReport, repeats: number): void {
    // `keepalive`, because the page may be closing, or the user has left. A failed report is repeated.
    request({ route: '/usage', json, keepalive: true }).then(
      (answer) => {
        const time = used(product)
        if (time.last === json) time.last = undefined
        // A former user's minutes are not shown.
        if (!signal.aborted) answers.notify(answer)
      },
      (error: VoiceError) => {
        if (!error.retryable || repeats === 0) return
        platform.setTimeout(() => send(product, json, repeats - 1), error.retryAfterMs ?? REPEAT_MS)
      },
    )
  }

  return {
    used,
    /** A stream of the product was opened (1) or has closed (-1). */
    count(product: Product, change: 1 | -1): void {
      used(product).open += change
    },
    /** A stream of the product needs a token (1), or no longer (-1). */
    need(product: Product, change: 1 | -1): void {
      used(product).needed += change
    },
    /** The application has got this token. */
    markGiven: (token: CountedToken): void => void given.add(token),
    /** A source requests a token. Returns the report that the request has. */
    replace(product: Product, held: CountedToken | undefined): UsageReport | undefined {
      const time = used(product)
      return (time.last = (held && reportOf(held)) ?? time.last)
    },
    /** A source has a new token. */
    begin({ product, receipt }: CountedToken): void {
      // The BFF would take it for a request whose response was lost, and count this token as unused.
      used(product).last = undefined
      if (receipt) mints.notify()
    },
    /** A source no longer has this token. `isReplaced`: it has the next one, of its last request. */
    end(token: CountedToken, isReplaced: boolean): void {
      const time = used(token.product)
      const { usedMs, last } = time
      const report = reportOf(token)
      const isSettled = isReplaced && report && last?.receipt === report.receipt
      // From now on time counts for the next token, and so does the time since its request.
      time.usedMs = isSettled ? Math.max(0, usedMs - last.used_ms) : 0
      if (!report || isSettled) return
      time.last = report
      send(token.product, report, REPEATS)
    },
    /**
     * True if streams have used this token and none does any longer. The source can drop it and so report its
     * time.
     */
    isOver({ product, receipt }: CountedToken): boolean {
      if (!receipt) return false
      const { open, usedMs } = used(product)
      return usedMs > 0 && open === 0
    },
    /**
     * Calls the listener when a token with counted minutes was minted. Returns a function that unsubscribes.
     */
    onMint: mints.subscribe,
    /** Calls the listener with the BFF's response to a report. Returns a function that unsubscribes. */
    onAnswer: answers.subscribe,
  }
})
