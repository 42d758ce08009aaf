import { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { ASSUMED_MEETINGS_WIRE, MEETING_FIELDS, MEETING_READERS } from '@stagepass/contract'
import {
  AnyMeeting,
  MeetingsResponse,
  Problem,
  SessionTokenResponse,
  TagsResponse,
} from '@stagepass/contract/schemas'
import { createEmulator } from '@stagepass/emulator'
import { startService, startStack } from '@stagepass/testing'
import express, { type Express } from 'express'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BffError } from '../base/BffError.js'
import { type BffEvent, createBff } from '../index.js'
import { rebuild } from '../meetings/rebuild.js'
import type { MeetingsOperation } from '../upstream/createUpstream.js'
import { rawRequest } from '../rawRequest.test.kit.js'

/*
 * Random requests, and random responses of the upstream. In this process, so that 100,000 cases take a minute
 * or two: FUZZ_CASES=100000 npx vitest run --project 'node, alone' fuzz
 */
const CASES = Number(process.env['FUZZ_CASES'] ?? 8_000)
const SHARE = { garbage: 0.4, nearlyRight: 0.4, answers: 0.2 }

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

interface Got {
  readonly status: number
  readonly text: string
}

/** A socket without a peer that stores what is written to it. */
class Wire extends Duplex {
  readonly #written: Buffer[] = []
  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#written.push(chunk)
    done()
  }
  get text(): string {
    return Buffer.concat(this.#written).toString('utf8')
  }
}

/** Sends a request through an application without a network. */
function inject(app: Express, { method, url, headers, body }: Sent): Promise<Got> {
  return new Promise((resolve) => {
    const wire = new Wire()
    // A request needs only the stream methods of its socket.
    const req = new IncomingMessage(wire as never)
    Object.assign(req, {
      method,
      url,
      headers: { host: 'a', ...headers },
      httpVersion: '1.1',
      complete: true,
    })
    const res = new ServerResponse(req)
    res.assignSocket(wire as never)
    res.once('finish', () => {
      const split = wire.text.indexOf('\r\n\r\n')
      resolve({ status: res.statusCode, text: wire.text.slice(split + 4) })
      wire.destroy()
    })
    app(req, res)
    req.push(body)
    req.push(null)
  })
}

let upstream: Awaited<ReturnType<typeof createEmulator>>
const unhandled: unknown[] = []
const onUnhandled = (reason: unknown): void => void unhandled.push(reason)
beforeAll(async () => {
  upstream = await createEmulator()
  process.on('unhandledRejection', onUnhandled)
})
afterAll(async () => {
  process.off('unhandledRejection', onUnhandled)
  await upstream.close()
})

const words = (text: string): string[] => text.split(' ')

const routes = words('/session-token /meetings /meetings/m1 /tags /handshake-check /health /nowhere')

const junk = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    ...words('__proto__ constructor ../.. %00 % 0 -1 NaN 1e999 null //x http://x'),
    '\u2028',
    '',
    ' ',
  ),
)
const headerValue = fc.string({
  unit: fc.constantFrom(...'abcXYZ019 ,;:/="\'*.-_%'.split('')),
  maxLength: 30,
})
/** Mostly one of the given values. */
const mostly = (values: string, weight = 1) =>
  fc.oneof({ weight, arbitrary: fc.constantFrom(...words(values)) }, headerValue)
const gateHeaders = fc.record(
  {
    'x-stagepass': mostly('1', 8),
    'x-stagepass-user': mostly('ada', 4),
    'sec-fetch-site': mostly('same-origin same-site cross-site none'),
    origin: mostly('null http://a https://app.example.com'),
    cookie: headerValue,
    'content-type': mostly('application/json', 5),
    'content-length': fc.constantFrom('0', '5', '99999', '-1', 'x', '1e9'),
    'content-encoding': headerValue,
    'cache-control': headerValue,
    'access-control-request-method': headerValue,
    'access-control-request-headers': headerValue,
  },
  { requiredKeys: [] },
)
const parameter = fc.oneof(fc.constantFrom(...words('limit cursor q fields tags from to order')), junk)
const query = fc
  .array(fc.tuple(parameter, junk), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))
const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...routes) },
  junk.map((text) => `/${text}`),
  junk.map((text) => `/meetings/${text}`),
)
const garbage: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('GET', 'POST') },
    fc.constantFrom('PUT', 'OPTIONS', 'DELETE', 'HEAD', 'TRACE', 'X'),
  ),
  url: fc.tuple(path, query).map(([at, search]) => `${at.replace(/[\r\n ]/g, '')}?${search}`),
  headers: gateHeaders,
  body: fc.oneof(fc.json({ maxDepth: 6 }), junk),
})

const near = fc.oneof(
  fc.constantFrom('stt', 'vt', 5, 60, 1_440, '', null, true, [], {}, 'x'.repeat(300), -0, 1.5, '😀'),
  fc.jsonValue({ maxDepth: 2 }),
)
const JSON_HEADERS = { 'x-stagepass': '1', 'content-type': 'application/json' }
const nearPost = fc.record(
  { usage_type: near, expiration_ttl: near, session_id: near, session_key: near, extra: near },
  { requiredKeys: ['usage_type'] },
)
const nearQuery = fc.record(
  {
    limit: fc.oneof(fc.integer({ min: -2, max: 120 }), junk),
    cursor: junk,
    ownership: fc.constantFrom('all', 'mine', 'shared', 'x'),
    order: fc.constantFrom('newest', 'oldest', 'x'),
    q: junk,
    from: fc.oneof(fc.constantFrom('2026-01-01', '2026-13-01'), junk),
    tags: junk,
    fields: fc.oneof(fc.constantFrom('title', 'id', 'title,participants', 'transcript'), junk),
  },
  { requiredKeys: [] },
)
const withoutSurrogates = (text: string): string => text.replace(/[\ud800-\udfff]/g, '')
const nearlyRight: fc.Arbitrary<Sent> = fc.oneof(
  fc
    .tuple(nearPost, fc.constantFrom('/session-token', '/session-token', '/handshake-check'))
    .map(([body, url]) => ({ method: 'POST', url, body: JSON.stringify(body), headers: JSON_HEADERS })),
  nearQuery.map((values) => {
    const pairs = Object.entries(values).map(
      ([name, value]) => `${name}=${encodeURIComponent(withoutSurrogates(String(value)))}`,
    )
    return { method: 'GET', url: `/meetings?${pairs.join('&')}`, headers: { 'x-stagepass': '1' }, body: '' }
  }),
)

function judge(got: Got): void {
  expect(got.status).not.toBe(500)
  expect(got.status).toBeGreaterThanOrEqual(200)
  expect(got.status).toBeLessThan(505)
  if (got.status === 204 || got.text === '') return
  const body: unknown = JSON.parse(got.text)
  if (got.status !== 200 && !got.text.includes('"draining"')) Problem.parse(body)
}

async function withApp(run: (app: Express, events: BffEvent[]) => Promise<void>): Promise<void> {
  const events: BffEvent[] = []
  // No part of a request adds a second line or a control sequence to a log line.
  const oddLines: string[] = []
  const print = (line: string) => void (/^\[stagepass\] [\w.]+: [ -~]+$/.test(line) || oddLines.push(line))
  const bff = createBff({
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    authorize: () => ({ user: 'ada', meetings: { credential: upstream.meetingsCredential } }),
    meetings: { baseUrl: upstream.meetingsUrl },
    limits: { tokensPerMinute: Infinity, meetingsPerMinute: Infinity },
    allowedOrigins: ['https://app.example.com'],
    // A request of this test should not wait for a slot.
    deadlineMs: 150,
    platform: { random: () => 0 },
    logger: { warn: print, error: print },
    onEvent: (event) => {
      if (event.type === 'request.finished' && event.errorCode === 'INTERNAL_ERROR') events.push(event)
    },
  })
  const app = express().disable('x-powered-by').use(bff)
  try {
    await run(app, events)
    expect(bff.gauge()).toMatchObject({ inFlight: 0, waiting: 0 })
  } finally {
    await bff.close()
  }
  expect([events, oddLines]).toEqual([[], []])
  expect(unhandled).toEqual([])
}

it.each([
  ['garbage', garbage, SHARE.garbage, [403, 404, 405]],
  ['nearly right', nearlyRight, SHARE.nearlyRight, [200, 400]],
] as const)(
  'S34 requests that are %s never bring a 500, a crash or a leak',
  (_name, arbitrary, share, reached) =>
    withApp(async (app) => {
      const seen = new Set<number>()
      await fc.assert(
        fc.asyncProperty(arbitrary, async (sent) => {
          const got = await inject(app, sent)
          seen.add(got.status)
          judge(got)
        }),
        { numRuns: Math.ceil(CASES * share), seed: 7 },
      )
      // The cases pass the first check.
      expect([...seen]).toEqual(expect.arrayContaining([...reached]))
    }),
  600_000,
)

const anything = fc.oneof(fc.json({ maxDepth: 5 }), fc.string({ unit: 'binary', maxLength: 60 }))
const some = (maxLength: number) => fc.string({ maxLength })
const nearToken = fc.record(
  {
    session_key: fc.oneof(some(8), fc.constant(null)),
    expires_at: fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      some(30),
    ),
    status: fc.constantFrom<unknown>('LICENSE_VALID', '', 1),
    type: fc.constantFrom<unknown>('session', 'master'),
    usage_type: fc.constantFrom<unknown>('stt', 'vt'),
  },
  { requiredKeys: [] },
)
/** A value of a meeting's field: any JSON, or nearly a value of one of the fields. */
const nearValue = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>('63', 'PT1H3M', '1:02:03', '2026-02-30', '2026-01-01 10:00', 'a,b', 'owned'),
  fc.integer({ min: 0, max: 2 ** 53 }),
  fc.array(fc.record({ id: fc.jsonValue(), email: fc.jsonValue() }, { requiredKeys: [] }), { maxLength: 2 }),
)
const nearRow = fc.record(
  {
    id: fc.oneof(some(4), fc.integer()),
    ...Object.fromEntries(MEETING_FIELDS.map((field) => [field, nearValue])),
  },
  { requiredKeys: [] },
)
const nearAnswer = fc.record(
  {
    code: fc.constantFrom<unknown>(0, 1, '0', null),
    error_code: fc.constantFrom<unknown>(
      ...words('CACHE_UNAVAILABLE AUTH_API_KEY_INVALID constructor __proto__'),
      7,
    ),
    req_id: fc.oneof(some(10), fc.constant(null)),
    data: nearToken,
    meetings: fc.array(fc.oneof(nearRow, fc.jsonValue()), { maxLength: 3 }),
    next_cursor: fc.oneof(some(4), fc.constant(null), fc.integer(), fc.object({ maxDepth: 0 })),
    total: fc.oneof(fc.integer(), fc.double(), some(2)),
    tags: fc.oneof(fc.array(fc.jsonValue(), { maxLength: 2 }), fc.jsonValue()),
  },
  { requiredKeys: [] },
)

it('S34 no response of the upstream causes a 500, a crash, or a response of another form', async () => {
  let reply = { status: 200, body: '', retryAfter: '' }
  await using strange = await startService((_req, res) => {
    const headers = reply.retryAfter ? { 'retry-after': reply.retryAfter } : {}
    res.writeHead(reply.status, headers).end(reply.body)
  })
  const bff = createBff({
    apiKey: 'key',
    baseUrl: strange.url,
    streamingUrl: strange.url.replace('http', 'ws'),
    authorize: () => ({ user: 'ada' }),
    limits: { tokensPerMinute: Infinity },
    deadlineMs: 200,
    platform: { random: () => 0 },
    logger: false,
  })
  const app = express().use(bff)
  const sent = { method: 'POST', url: '/session-token', headers: JSON_HEADERS, body: '{"usage_type":"stt"}' }
  const replies = fc.record({
    status: fc.oneof(
      { weight: 3, arbitrary: fc.constant(200) },
      fc.constantFrom(201, 204, 301, 400, 401, 403, 404, 409, 418, 500, 502, 503),
    ),
    body: fc.oneof(
      anything,
      nearAnswer.map((value) => JSON.stringify(value)),
    ),
    retryAfter: fc.constantFrom('', '1', 'x', '-1', '99999999999', 'Thu, 01 Jan 2026 00:00:00 GMT'),
  })
  await fc.assert(
    fc.asyncProperty(replies, async (next) => {
      reply = next
      const got = await inject(app, sent)
      judge(got)
      if (got.status === 200) SessionTokenResponse.parse(JSON.parse(got.text))
    }),
    { numRuns: Math.ceil(CASES * SHARE.answers), seed: 7 },
  )
  await bff.close()
  expect(unhandled).toEqual([])
}, 600_000)

/** A value of the promised type is read as itself. */
function keepsItsTypes(meeting: AnyMeeting): void {
  const unread: unknown[] = []
  for (const field of MEETING_FIELDS) {
    if (!(field in meeting)) continue
    expect(MEETING_READERS[field](meeting[field], (part) => unread.push(part))).toEqual(meeting[field])
  }
  expect(unread).toEqual([])
}

it('S34 rebuilding a meetings response gives a valid form or refuses, whatever arrived', () => {
  const attempt = (build: () => object): unknown => {
    try {
      return JSON.parse(JSON.stringify(build()))
    } catch (error) {
      if (error instanceof BffError) return undefined
      throw error
    }
  }
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue({ maxDepth: 4 }), nearAnswer),
      fc.constantFrom(undefined, ['owned', 'mine'], ['shared']),
      (body, words) => {
        const attemptTo = (operation: MeetingsOperation) =>
          attempt(
            () => rebuild(body, { operation, fields: MEETING_FIELDS, words }, ASSUMED_MEETINGS_WIRE).body,
          )
        const list = MeetingsResponse.optional().parse(attemptTo('meetings'))
        const one = AnyMeeting.optional().parse(attemptTo('meeting'))
        for (const meeting of [...(list?.meetings ?? []), ...(one ? [one] : [])]) keepsItsTypes(meeting)
        const tags = attemptTo('tags')
        expect(TagsResponse.optional().safeParse(tags).error).toBeUndefined()
      },
    ),
    { numRuns: Math.ceil(CASES * SHARE.answers), seed: 7 },
  )
}, 600_000)

it('S34 the same over real HTTP, one connection after the other', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 300 } })
  await fc.assert(
    fc.asyncProperty(fc.oneof(garbage, nearlyRight), async ({ method, url, headers, body }) => {
      const { 'content-length': _ignored, ...rest } = headers
      judge(
        await rawRequest(stack.origin, {
          method: method === 'X' ? 'GET' : method,
          path: `/api/voice${encodeURI(withoutSurrogates(url))}`,
          headers: rest,
          body,
        }),
      )
    }),
    { numRuns: 300, seed: 7 },
  )
  expect(stack.bff.gauge().inFlight).toBe(0)
  expect(unhandled).toEqual([])
})
