import type { Product } from '@stagepass/contract'
import type { Client } from '../client/Client.js'
import { createUsageSlot, type UsedTime } from '../token/createUsageSlot.js'
import type { LiveToken } from '../token/TokenSource.js'
import type { VoiceError } from '../VoiceError.js'

/*
 * How long the streams of a product are open counts for the token that is current at that time, also if a
 * socket was opened with the one before. A token is reported when its source no longer has it: it was
 * replaced, it has expired, the page is left, or its last stream has ended. So no report is followed by a
 * connection with the same token. One that the package alone has held, and no stream has used, is reported as
 * unused.
 *
 * This is in the chunk of streams: without it no stream is open. So no time is lost, and a page that has no
 * stream does not load it.
 */

interface UsageReport {
  readonly receipt: string
  readonly used_ms: number
}

/** So often a report that failed is sent again. The BFF takes it until a minute after the token's end. */
const REPEATS = 5
const REPEAT_MS = 2_000

/** Counts how long the streams of each product are open, and reports it. A part of the client. */
export function createUsageMeter(client: Client) {
  const { platform, request, signal } = client
  const slot = client.part(createUsageSlot)
  const times = new Map<Product, UsedTime>()

  const used = (slot.used = (product: Product): UsedTime => {
    const now = platform.now()
    const time = times.get(product) ?? { open: 0, countedAt: now, usedMs: 0 }
    times.set(product, time)
    time.usedMs += time.open * (now - time.countedAt)
    time.countedAt = now
    return time
  })

  function send(json: UsageReport, repeats: number): void {
    // The requests of a user who has left are not sent.
    if (signal.aborted) return
    // Of the page that is left, it is all that can be done. Any other page tries again.
    request({ route: '/usage', json, keepalive: true }).then(slot.answers.notify, (error: VoiceError) => {
      if (!error.retryable || repeats === 0) return
      platform.setTimeout(() => send(json, repeats - 1), error.retryAfterMs ?? REPEAT_MS)
    })
  }

  slot.tokens.subscribe((token, isNew) => {
    if (isNew) return
    const time = used(token.product)
    const { usedMs } = time
    // What follows counts for the next token.
    time.usedMs = 0
    const { receipt } = token
    // Code of the application may still use a token that it got.
    if (receipt === undefined || (usedMs === 0 && slot.given.has(token))) return
    send({ receipt, used_ms: Math.ceil(usedMs) }, REPEATS)
  })

  return {
    /** A stream of the product is open, or no longer is. */
    count(product: Product, change: 1 | -1): void {
      const time = used(product)
      time.open += change
    },
    /** The time of this token is over, and is reported when its source drops it. */
    isOver(token: LiveToken | undefined): boolean {
      if (!token?.receipt) return false
      const { open, usedMs } = used(token.product)
      return usedMs > 0 && open === 0
    },
  }
}
