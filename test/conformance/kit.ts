import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Stack, type StackOptions, startStack } from '@stagepass/testing'
import { expect } from 'vitest'
import { readText } from './ask.js'
import { matchers } from './matchers.js'

export { type Ask, ask, type Reply } from './ask.js'

expect.extend(matchers)

/** What an upstream of one's own was asked. */
export interface Seen {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly rawHeaders: readonly string[]
  readonly text: string
  readonly req: IncomingMessage
  readonly res: ServerResponse
}

export interface HandMade extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly Seen[]
}

/** An upstream that can misbehave in any way. */
export async function handMade(answer: (seen: Seen) => unknown): Promise<HandMade> {
  const seen: Seen[] = []
  const server = createServer((req, res) => {
    req.on('error', () => undefined)
    res.on('error', () => undefined)
    readText(req).then(
      (text) => {
        const { pathname, searchParams } = new URL(req.url ?? '/', 'http://upstream.test')
        const entry: Seen = {
          method: req.method ?? '',
          url: req.url ?? '',
          path: pathname,
          query: searchParams,
          headers: req.headers,
          rawHeaders: req.rawHeaders,
          text,
          req,
          res,
        }
        seen.push(entry)
        return answer(entry)
      },
      () => undefined,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

export function json(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** A token response, with `data` changed at will. (Contract: "Token response".) */
export function envelope(usageType: string, data: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    code: 0,
    message: 'Success',
    data: {
      session_key: 'session-key-of-the-hand-made-upstream',
      expires_at: new Date(Date.now() + 180 * 60_000).toISOString(),
      key_id: 4711,
      status: 'LICENSE_VALID',
      type: 'session',
      usage_type: usageType,
      ...data,
    },
    req_id: 'req-hand-made-1',
  }
}

/** A stack whose BFF speaks to `upstream` in the emulator's place. */
export function stackOn(upstream: HandMade, options: StackOptions = {}): Promise<Stack> {
  return startStack({
    ...options,
    bff: {
      baseUrl: upstream.url,
      ...options.bff,
      meetings: { baseUrl: upstream.url, ...options.bff?.meetings },
    },
  })
}

/** How many calls the emulator got on all its surfaces. */
export function callsOf(stack: Stack): number {
  return Object.values(stack.upstream.counts).reduce((sum, count) => sum + count, 0)
}
