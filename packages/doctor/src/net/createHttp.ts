import { CheckEnded } from '../report/Result.js'
import { explainFailure } from './explainFailure.js'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'OPTIONS' | undefined
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | ReadableStream<Uint8Array> | undefined
  /** Default: the time limit of the run. */
  readonly timeoutMs?: number | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body as JSON; `undefined` if it is not JSON. */
  readonly json: unknown
  /** From the start of the request to the end of the response. */
  readonly tookMs: number
  /** The middle of the request on this machine's clock, in milliseconds since the epoch. */
  readonly atMs: number
}

/** Rejects with `CheckEnded` if there is no response. */
export type Send = (request: HttpRequest) => Promise<HttpResponse>

/** A page of 100 meetings has much less. */
const MAX_BYTES = 4_194_304

/** Sends requests: no redirects, a time limit, a response of bounded size. `signal` is that of the run. */
export function createSend(usualMs: number, signal: AbortSignal): Send {
  return async ({ url, method = 'GET', headers, body = null, timeoutMs = usualMs }) => {
    const startMs = performance.now()
    const wallMs = Date.now()
    // Not `AbortSignal.any`: there Node can collect the timer (nodejs/node#57736).
    const stop = new AbortController()
    const timer = setTimeout(() => stop.abort(new DOMException('No answer came.', 'TimeoutError')), timeoutMs)
    const cancel = (): void => stop.abort(signal.reason)
    signal.addEventListener('abort', cancel)
    try {
      const response = await fetch(url, {
        method,
        headers: { accept: 'application/json', 'user-agent': 'stagepass-doctor', ...headers },
        body,
        redirect: 'manual',
        signal: stop.signal,
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      })
      const text = await readText(response)
      const tookMs = performance.now() - startMs
      const received = Object.fromEntries(response.headers)
      const { status } = response
      return { status, headers: received, text, json: parseJson(text), tookMs, atMs: wallMs + tookMs / 2 }
    } catch (cause) {
      throw new CheckEnded(explainFailure(url, cause), { cause })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_BYTES) throw new RangeError('The body is too long.')
  }
  return Buffer.concat(chunks).toString()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The other side's clock in milliseconds since the epoch, by `Date`. */
export const dateOf = ({ headers }: HttpResponse): number | undefined =>
  Date.parse(headers['date'] ?? '') || undefined
