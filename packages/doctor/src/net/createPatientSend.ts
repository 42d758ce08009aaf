import { parseRetryAfter } from '@stagepass/contract'
import { dateOf, headerOf, type Send } from './createHttp.js'

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

  const sendSpaced: Send = async (request) => {
    const waitMs = freeMs - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    return send(request).finally(() => (freeMs = performance.now() + spacingMs))
  }

  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const response = await sendSpaced(request)
      const usualMs = WAIT_MS[response.status]
      if (usualMs === undefined || tries === MAX_TRIES) return response
      const nowMs = dateOf(response) ?? Date.now()
      const waitMs = parseRetryAfter(headerOf(response, 'retry-after'), nowMs) ?? usualMs
      if (waitMs > MAX_WAIT_MS) return response
      await sleep(waitMs)
    }
  }
}
