import { parseRetryAfter } from '@stagepass/contract'
import { dateOf, type Send } from './createHttp.js'

/** Statuses that are worth a retry, and how long to wait if the response does not say. */
const WAIT_MS: Readonly<Record<number, number>> = { 429: 5_000, 502: 1_000, 503: 1_000, 504: 1_000 }

const MAX_TRIES = 3

/** Longer waits are the operator's to take: the response with the status is the result then. */
const MAX_WAIT_MS = 30_000

/**
 * Sends a request up to three times. Waits for as long as the response asks for, and `spacingMs` from one
 * response to the next request.
 */
export function createPatientSend(send: Send, sleep: (ms: number) => Promise<void>, spacingMs = 0): Send {
  let freeMs = -Infinity

  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const pauseMs = freeMs - performance.now()
      if (pauseMs > 0) await sleep(pauseMs)
      const response = await send(request).finally(() => (freeMs = performance.now() + spacingMs))
      const usualMs = WAIT_MS[response.status]
      if (usualMs === undefined || tries === MAX_TRIES) return response
      const nowMs = dateOf(response) ?? Date.now()
      const waitMs = parseRetryAfter(response.headers['retry-after'], nowMs) ?? usualMs
      if (waitMs > MAX_WAIT_MS) return response
      await sleep(waitMs)
    }
  }
}
