import { parseRetryAfter, stripBom } from '@stagepass/contract'
import { CheckEnded } from '../report/Result.js'
import { explainFailure } from './explainFailure.js'

export interface HttpRequest {
  readonly url: URL
  readonly method?: 'GET' | 'POST' | 'OPTIONS' | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent as JSON. */
  readonly json?: unknown
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; `undefined` if it is not JSON. */
  readonly json: unknown
}

/** Rejects with `CheckEnded` if there is no response. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>

/**
 * Time from one response to the next request. At most two requests arrive in any second, because the
 * account's rate limit is shared with other programs. (Contract: "Rate limit".)
 */
const SPACING_MS = 505

/** Statuses that are retried, with the wait if the response does not give one. */
const WAIT_MS: Readonly<Record<number, number>> = { 429: 5_000, 502: 1_000, 503: 1_000, 504: 1_000 }

const MAX_TRIES = 3

/** If the wait would be longer, do not retry: the response is the result. */
const MAX_WAIT_MS = 30_000

/**
 * Returns a function that sends a request, up to three times if a retry can help. It follows no redirects and
 * has a time limit.
 */
export function createSend(
  timeoutMs: number,
  signal: AbortSignal,
  sleep: (ms: number) => Promise<void>,
): Send {
  let freeMs = -Infinity

  return async (request) => {
    for (let tries = 1; ; tries += 1) {
      const pauseMs = freeMs - performance.now()
      if (pauseMs > 0) await sleep(pauseMs)
      const response = await sendOnce(request, timeoutMs, signal)
      freeMs = performance.now() + SPACING_MS
      const usualMs = WAIT_MS[response.status]
      if (usualMs === undefined || tries === MAX_TRIES) return response
      const nowMs = Date.parse(response.headers['date'] ?? '') || Date.now()
      const waitMs = parseRetryAfter(response.headers['retry-after'], nowMs) ?? usualMs
      if (waitMs > MAX_WAIT_MS) return response
      await sleep(waitMs)
    }
  }
}

async function sendOnce(
  { url, method = 'GET', headers, json }: HttpRequest,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HttpResponse> {
  // Not with `AbortSignal.any`, because Node may garbage-collect its timer (nodejs/node#57736).
  const stop = new AbortController()
  const timer = setTimeout(
    () => stop.abort(new DOMException('There was no response.', 'TimeoutError')),
    timeoutMs,
  )
  const cancel = (): void => stop.abort(signal.reason)
  signal.addEventListener('abort', cancel)
  try {
    const type = json === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'stagepass-doctor',
        // A server may close an idle connection just when it is used again.
        connection: 'close',
        ...type,
        ...headers,
      },
      body: json === undefined ? null : JSON.stringify(json),
      redirect: 'manual',
      signal: stop.signal,
    })
    const text = await response.text()
    return { status: response.status, headers: Object.fromEntries(response.headers), json: parseJson(text) }
  } catch (cause) {
    throw new CheckEnded(explainFailure(url, cause), { cause })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(stripBom(text))
  } catch {
    return undefined
  }
}
