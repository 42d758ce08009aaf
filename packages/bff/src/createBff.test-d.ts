import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttp2Server, type Http2ServerRequest } from 'node:http2'
import type { MeetingsWire } from '@stagepass/contract'
import express, { type RequestHandler } from 'express'
import { Hono } from 'hono'
import { Agent, type fetch as undiciFetch, getGlobalDispatcher, ProxyAgent } from 'undici'
import { Agent as Agent6, ProxyAgent as ProxyAgent6 } from 'undici6'
import { expectTypeOf } from 'vitest'
import { type Bff, type BffEvent, type BffOptions, createBff, type Grant, type Secret } from './index.js'

declare const user: { id: string; supportId?: string; meetingsKey: string } | undefined
declare const env: Record<string, string | undefined>

// The example of the documentation, with an environment that may lack everything and a user who may not be there.
const bff = createBff({
  apiKey: env['VOICE_API_KEY'],
  baseUrl: env['VOICE_BASE_URL'],
  streamingUrl: env['VOICE_STREAMING_URL'],
  authorize: async (req) => {
    expectTypeOf(req).toEqualTypeOf<IncomingMessage>()
    return (
      user && {
        user: user.id,
        products: ['stt', 'vt'],
        maxTtlMinutes: 60,
        sessionId: user.supportId,
        meetings: { credential: user.meetingsKey, ownership: 'mine', fields: ['title', 'started_at'] },
      }
    )
  },
  meetings: { baseUrl: env['VOICE_MEETINGS_URL'], wire: { params: { q: 'search' } }, reserve: 0 },
  limits: { tokensPerMinute: 30 },
  onEvent: (event) => {
    expectTypeOf(event).toEqualTypeOf<BffEvent>()
    if (event.type === 'request.finished') expectTypeOf(event.durationMs).toEqualTypeOf<number>()
  },
})

// A BFF for any request of Node is a middleware of Express too.
express().use('/api/voice', bff)
expectTypeOf(bff).toEqualTypeOf<Bff>()
expectTypeOf(bff).toExtend<RequestHandler>()
expectTypeOf(bff).toExtend<RequestListener>()
createServer(bff)
expectTypeOf(bff.close()).toEqualTypeOf<Promise<void>>()
expectTypeOf<Secret>().toEqualTypeOf<string | (() => string | Promise<string>)>()
expectTypeOf<MeetingsWire['order']['oldest']>().toEqualTypeOf<string>()

// @ts-expect-error authorize is required
createBff({ apiKey: 'k', baseUrl: 'https://a', streamingUrl: 'wss://a' })
const complete = { apiKey: 'k', baseUrl: 'https://a', streamingUrl: 'wss://a', authorize: () => null }
// @ts-expect-error a misspelt option
createBff({ ...complete, allowOrigins: [] })
// @ts-expect-error a product that does not exist
export const wrongProduct: Grant = { user: 'a', products: ['sst'] }
// @ts-expect-error a misspelt limit would be no limit
export const wrongKey: Grant = { user: 'a', maxTTL: 5 }

// Express: named once, annotated, or inferred from the place where it is mounted.
const inExpress = createBff<express.Request>({
  ...complete,
  authorize: (req) => ({ user: req.get('x-user') ?? '' }),
})
express().use('/api/voice', inExpress)
expectTypeOf(
  createBff({ ...complete, authorize: (req: express.Request) => ({ user: req.ip ?? '' }) }),
).toEqualTypeOf<Bff<express.Request>>()
const inferred: RequestHandler = createBff({
  ...complete,
  authorize: (req) => ({ user: req.get('x-user') ?? '' }),
})
express().use('/api/voice', inferred)
// @ts-expect-error a plain server has no requests of Express
createServer(inExpress)

// HTTP/2.
createHttp2Server(
  createBff<Http2ServerRequest>({ ...complete, authorize: (req) => ({ user: req.authority }) }),
)

// Fetch hosts.
const inFetchHost = createBff<Request>({
  ...complete,
  authorize: async (req) => ({ user: req.headers.get('x-user') ?? '' }),
})
new Hono().all('/api/voice/*', (c) => inFetchHost.fetch(c.req.raw))
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = inFetchHost.routeHandlers
expectTypeOf(POST).toEqualTypeOf<(request: Request) => Promise<Response>>()
// @ts-expect-error its authorize takes a Request, which no middleware has
express().use(inFetchHost)
// @ts-expect-error authorize would get a Request in place of an IncomingMessage
void bff.fetch(new Request('http://a'))
expectTypeOf(bff.fetch).toEqualTypeOf<'Write createBff<Request>({ … }): its authorize must take a Request.'>()
expectTypeOf(inExpress.routeHandlers).toEqualTypeOf(bff.fetch)

interface RequestOfAHost extends Request {
  readonly cookies: Map<string, string>
}
const ofAHost = createBff<RequestOfAHost>({
  ...complete,
  authorize: (req) => ({ user: req.cookies.get('user') ?? '' }),
})
expectTypeOf(ofAHost.routeHandlers.GET).toEqualTypeOf<(request: RequestOfAHost) => Promise<Response>>()

// One for both kinds of host.
const anywhere = createBff<IncomingMessage | Request>({ ...complete, authorize: () => ({ user: 'a' }) })
createServer(anywhere)
void anywhere.fetch(new Request('http://a'))

// Dispatchers of any version, and of a fetch.
export const dispatchers: BffOptions['dispatcher'][] = [
  new Agent(),
  new ProxyAgent('http://proxy'),
  getGlobalDispatcher(),
  new Agent6(),
  new ProxyAgent6('http://proxy'),
  {} as NonNullable<NonNullable<Parameters<typeof undiciFetch>[1]>['dispatcher']>,
]
