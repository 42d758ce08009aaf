import type { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { CheckEnded } from '../report/Result.js'
import { BROKEN_BODY, explainFailure } from './explainFailure.js'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'OPTIONS' | undefined
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | Readable | undefined
  /** Default: the time limit of the run. */
  readonly timeoutMs?: number | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
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
export function createHttp(usualMs: number, signal: AbortSignal): { send: Send; close: () => Promise<void> } {
  const dispatcher = new Agent({ connect: { timeout: usualMs }, maxResponseSize: MAX_BYTES })
  const cancel = (): void => void dispatcher.destroy()
  signal.addEventListener('abort', cancel)

  async function send(options: HttpRequest): Promise<HttpResponse> {
    const { url, method = 'GET', headers, body = null, timeoutMs = usualMs } = options
    const startMs = performance.now()
    const wallMs = Date.now()
    try {
      const response = await request(url, {
        dispatcher,
        method,
        headers: { accept: 'application/json', 'user-agent': 'stagepass-doctor', ...headers },
        body,
        // Not with the run's in `AbortSignal.any`: there Node can collect the timer (nodejs/node#57736).
        signal: AbortSignal.timeout(timeoutMs),
      })
      const bytes = Buffer.from(await response.body.arrayBuffer())
      const text = decode(bytes, response.headers['content-encoding'])
      const tookMs = performance.now() - startMs
      const { statusCode: status, headers: received } = response
      return { status, headers: received, text, json: parseJson(text), tookMs, atMs: wallMs + tookMs / 2 }
    } catch (cause) {
      throw new CheckEnded(explainFailure(url, cause), { cause })
    }
  }

  async function close(): Promise<void> {
    signal.removeEventListener('abort', cancel)
    await dispatcher.destroy()
  }
  return { send, close }
}

function decode(bytes: Buffer, encoding: unknown): string {
  const limit = { maxOutputLength: MAX_BYTES }
  try {
    if (encoding === 'gzip') return gunzipSync(bytes, limit).toString()
    if (encoding === 'br') return brotliDecompressSync(bytes, limit).toString()
    return (encoding === 'deflate' ? inflateSync(bytes, limit) : bytes).toString()
  } catch (cause) {
    throw cause instanceof RangeError ? cause : new Error(BROKEN_BODY, { cause })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first value of a header. */
export function headerOf({ headers }: HttpResponse, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** The other side's clock in milliseconds since the epoch, by `Date`. */
export const dateOf = (response: HttpResponse): number | undefined =>
  Date.parse(headerOf(response, 'date') ?? '') || undefined
