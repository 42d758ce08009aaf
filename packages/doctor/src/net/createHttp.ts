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

/** Sends requests: no redirects, a time limit, a response of bounded size. */
export interface Http {
  readonly send: Send
  readonly close: () => Promise<void>
}

/** A page of 100 meetings has much less. */
const MAX_BYTES = 4_194_304

export function createHttp(usualMs: number, signal: AbortSignal): Http {
  const dispatcher = new Agent({ connect: { timeout: usualMs } })

  async function send(options: HttpRequest): Promise<HttpResponse> {
    const { url, method = 'GET', headers, body = null, timeoutMs = usualMs } = options
    // A timer of its own: Node can collect that of `AbortSignal.timeout` inside of `AbortSignal.any`
    // (nodejs/node#57736).
    const limit = new AbortController()
    const timer = setTimeout(() => limit.abort(new DOMException('Too late.', 'TimeoutError')), timeoutMs)
    const cancel = (): void => limit.abort()
    signal.addEventListener('abort', cancel)
    const startMs = performance.now()
    const wallMs = Date.now()
    try {
      const response = await request(url, {
        dispatcher,
        method,
        headers: { accept: 'application/json', 'user-agent': 'stagepass-doctor', ...headers },
        body,
        signal: limit.signal,
      })
      const text = decode(await readBytes(response.body), response.headers['content-encoding'])
      const tookMs = performance.now() - startMs
      const { statusCode: status, headers: received } = response
      return { status, headers: received, text, json: parseJson(text), tookMs, atMs: wallMs + tookMs / 2 }
    } catch (cause) {
      throw new CheckEnded(explainFailure(url, cause), { cause })
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    }
  }

  return { send, close: () => dispatcher.destroy() }
}

async function readBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new RangeError('The response is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
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
export function dateOf(response: HttpResponse): number | undefined {
  const dateMs = Date.parse(headerOf(response, 'date') ?? '')
  return Number.isNaN(dateMs) ? undefined : dateMs
}
