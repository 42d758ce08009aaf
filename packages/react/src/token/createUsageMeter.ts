import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { createListeners } from '../platform/createListeners.js'
import type { LiveToken } from './TokenSource.js'
import type { VoiceError } from '../VoiceError.js'
import { hasReceipt, takeReceipt } from './receipts.js'

/*
 * How long the streams of a product are open counts for the token that is current at that time, also if a
 * socket was opened with the one before. A token is reported when its source no longer has it: it was
 * replaced, it has expired, the page is left, or its last stream has ended. So no report is followed by a
 * connection with the same token.
 */

interface Meter {
  /** Streams that are open now. */
  open: number
  /** Until when the time is counted. */
  countedAt: number
  /** For the current token. */
  usedMs: number
  /** A stream was open with the current token. Another one may be used by code of the application. */
  isUsed: boolean
}

/** What happened to the user's minutes: an answer of the BFF, or `undefined` if it should be asked again. */
type UsageChange = Readonly<Record<string, unknown>> | undefined

export type UsageMeter = ReturnType<typeof createUsageMeter>

/**
 * A report that failed is sent again so often. The BFF takes it until a minute after the end of the token.
 */
const REPEATS = 5
const REPEAT_MS = 2_000

function createUsageMeter({ platform, request, signal }: Client) {
  const meters = new Map<Product, Meter>()
  const listeners = createListeners()
  let change: UsageChange

  const meterOf = (product: Product): Meter => {
    const meter = meters.get(product) ?? { open: 0, countedAt: 0, usedMs: 0, isUsed: false }
    meters.set(product, meter)
    const now = platform.now()
    meter.usedMs += meter.open * (now - meter.countedAt)
    meter.countedAt = now
    return meter
  }

  const tell = (next: UsageChange): void => {
    change = next
    listeners.notify()
  }

  function send(json: { receipt: string; used_ms: number }, repeats: number): void {
    // Of the page that is left, it is all that can be done. Any other page tries again.
    request({ route: '/usage', json, keepalive: true }).then(tell, (error: VoiceError) => {
      if (!error.retryable || repeats === 0 || signal.aborted) return
      platform.setTimeout(() => send(json, repeats - 1), error.retryAfterMs ?? REPEAT_MS)
    })
  }

  /** What follows counts for the next token. */
  function end({ product, token }: LiveToken) {
    const meter = meterOf(product)
    const ended = { receipt: takeReceipt(token), usedMs: meter.usedMs, isUsed: meter.isUsed }
    meter.usedMs = 0
    meter.isUsed = meter.open > 0
    return ended
  }

  return {
    subscribe: listeners.subscribe,
    lastChange: () => change,
    /** A stream is open now. Returns what to call when it no longer is. */
    opened(product: Product): () => void {
      const meter = meterOf(product)
      meter.open += 1
      meter.isUsed = true
      return () => void (meterOf(product).open -= 1)
    },
    /** A stream was or is open with the current token. */
    isUsed: (product: Product): boolean => meterOf(product).isUsed,
    /** Milliseconds that the current token was used. */
    usedMs: (product: Product): number => Math.round(meterOf(product).usedMs),
    isOpen: (product: Product): boolean => meterOf(product).open > 0,
    minted(token: LiveToken): void {
      if (hasReceipt(token.token)) tell(undefined)
    },
    /** The source no longer has this token, and no other tab does. */
    dropped(token: LiveToken): void {
      const { receipt, usedMs, isUsed } = end(token)
      // The requests of a user who has left are not sent.
      if (receipt === undefined || !isUsed || signal.aborted) return
      send({ receipt, used_ms: Math.ceil(usedMs) }, REPEATS)
    },
    /** The source no longer has this token. Another tab may have it, so it costs its whole life. */
    discarded: (token: LiveToken): void => void end(token),
  }
}

/** The meter of a client. */
export const usageMeterOf = (client: Client): UsageMeter => client.part(createUsageMeter)
