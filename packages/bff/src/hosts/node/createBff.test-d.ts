import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttp2Server, type Http2ServerRequest } from 'node:http2'
import type { MeetingsWire } from '@stagepass/contract'
import express, { type RequestHandler } from 'express'
import { Hono } from 'hono'
import { Agent, type fetch as undiciFetch, getGlobalDispatcher, ProxyAgent } from 'undici'
import { expectTypeOf } from 'vitest'
import { type Bff as FetchBff, createBff as createFetchBff } from '../fetch/index.js'
import { type Bff, type BffEvent, type BffOptions, createBff, type Grant, type Secret } from '../../index.js'
import { instrument } from '../../otel.js'

declare const user: { id: string; supportId?: string; meetingsKey: string } | undefined
declare const env: Record<string, string | undefined>

// The example of the documentation, with environment variables that may be missing and a user who may not be
// signed in.
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

// Express: annotated, or inferred from the place where it is mounted.
const inExpress = createBff({
  ...complete,
  authorize: async (req: express.Request) => ({ user: req.get('x-user') ?? '' }),
})
express().use('/api/voice', inExpress)
expectTypeOf(inExpress).toEqualTypeOf<Bff<express.Request>>()
const inferred: RequestHandler = createBff({
  ...complete,
  authorize: (req) => ({ user: req.get('x-user') ?? '' }),
})
express().use('/api/voice', inferred)
// @ts-expect-error a plain server has no requests of Express
createServer(inExpress)

// HTTP/2.
createHttp2Server(
  createBff({ ...complete, authorize: (req: Http2ServerRequest) => ({ user: req.authority }) }),
)

// Fetch hosts.
const inFetchHost = createFetchBff({
  ...complete,
  authorize: async (request) => {
    expectTypeOf(request).toEqualTypeOf<Request>()
    return { user: request.headers.get('x-user') ?? '' }
  },
})
expectTypeOf(inFetchHost).toEqualTypeOf<FetchBff>()
new Hono().all('/api/voice/*', (c) => inFetchHost.fetch(c.req.raw))
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = inFetchHost.handlers
expectTypeOf(POST).toEqualTypeOf<(request: Request) => Promise<Response>>()
// @ts-expect-error it is no middleware
express().use(inFetchHost)
// @ts-expect-error a middleware has no fetch
void bff.fetch

interface RequestOfAHost extends Request {
  readonly cookies: Map<string, string>
}
const ofAHost = createFetchBff({
  ...complete,
  authorize: (request: RequestOfAHost) => ({ user: request.cookies.get('user') ?? '' }),
})
expectTypeOf(ofAHost.handlers.GET).toEqualTypeOf<(request: RequestOfAHost) => Promise<Response>>()
// @ts-expect-error a Fetch host has no IncomingMessage
createFetchBff({ ...complete, authorize: (req: IncomingMessage) => ({ user: req.url ?? '' }) })

// One `authorize` for both kinds of host.
const authorize = (_request: IncomingMessage | Request): Grant => ({ user: 'a' })
createServer(createBff({ ...complete, authorize }))
void createFetchBff({ ...complete, authorize }).fetch(new Request('http://a'))

// With OpenTelemetry around the options.
const instrumented = createBff(
  instrument({ ...complete, authorize: (req: express.Request) => ({ user: req.ip ?? '' }) }),
)
expectTypeOf(instrumented).toEqualTypeOf<Bff<express.Request>>()
createServer(createBff(instrument({ ...complete, authorize: () => ({ user: 'a' }) })))

// Dispatchers, and that of a fetch.
export const dispatchers: BffOptions['dispatcher'][] = [
  new Agent(),
  new ProxyAgent('http://proxy'),
  getGlobalDispatcher(),
  {} as NonNullable<NonNullable<Parameters<typeof undiciFetch>[1]>['dispatcher']>,
]
