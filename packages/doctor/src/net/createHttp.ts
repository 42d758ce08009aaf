import { Agent, request } from 'undici'
import type { Platform } from './Platform.js'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | undefined
  readonly url: URL
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
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

/** Sends requests: no redirects, one time limit, a response of bounded size. */
export interface Http {
  /** Rejects if there is no response; `explainFailure` says why. */
  send(request: HttpRequest): Promise<HttpResponse>
  close(): Promise<void>
}

interface HttpOptions {
  readonly platform: Platform
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A page of 100 meetings has much less. */
const MAX_BYTES = 4_194_304

const USER_AGENT = 'stagepass-doctor'

export function createHttp({ platform, timeoutMs, signal }: HttpOptions): Http {
  const dispatcher = new Agent({ connect: { timeout: timeoutMs } })
  return {
    async send({ method = 'GET', url, headers = {}, body }) {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const startMs = platform.elapsed()
      const wallMs = platform.now()
      const response = await request(url, {
        dispatcher,
        method,
        headers: { accept: 'application/json', 'user-agent': USER_AGENT, ...headers },
        ...(body !== undefined && { body }),
        signal: limit,
      })
      const text = await readText(response.body)
      const tookMs = platform.elapsed() - startMs
      const { statusCode: status, headers: received } = response
      return { status, headers: received, text, json: parseJson(text), tookMs, atMs: wallMs + tookMs / 2 }
    },
    close: () => dispatcher.destroy(),
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error('The response is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The first value of a header. */
export function headerOf({ headers }: Pick<HttpResponse, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}
