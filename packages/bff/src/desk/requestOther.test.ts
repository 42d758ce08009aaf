import { isBffError } from '@stagepass/bff'
import { startService, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import type { BffOptions, BffUser, Grant } from '../index.js'

const IMPORT = {
  method: 'POST',
  path: '/recordings/import',
  json: { url: 'https://a.example/1.wav' },
} as const

interface Seen {
  readonly line: string
  readonly authorization: string | undefined
  readonly type: string
}

/** A service with other operations. `answers` are the next responses; then each is `{ "id": "r1" }`. */
async function setUp(options: Partial<BffOptions> = {}, granted: Partial<Grant> = {}) {
  const seen: Seen[] = []
  const answers: (number | 'drop' | { status: number; text: string })[] = []
  const service = await startService((req, res) => {
    const { method, url, headers } = req
    const type = String(headers['content-type'])
    seen.push({ line: `${method} ${url}`, authorization: headers.authorization, type })
    const next = answers.shift() ?? 201
    const { status, text } = typeof next === 'object' ? next : { status: Number(next), text: '{"id":"r1"}' }
    if (next === 'drop') req.socket.destroy()
    else res.writeHead(status, { 'retry-after': '1' }).end(text)
  })
  const stack = await startStack({ bff: { ...options, meetings: { baseUrl: `${service.url}/v1/` } } })
  const user: BffUser = stack.bff.as({
    user: 'ada',
    meetings: { credential: 'vm_ada_0123456789' },
    ...granted,
  })
  return {
    stack,
    user,
    seen,
    answers,
    async [Symbol.asyncDispose]() {
      await stack.close()
      await service[Symbol.asyncDispose]()
    },
  }
}

const refusalOf = async (call: Promise<unknown>) => {
  const error: unknown = await call.catch((thrown: unknown) => thrown)
  if (!isBffError(error)) throw new Error('It was not refused with a BffError.', { cause: error })
  return error
}

it('an operation has the credential of the grant, its query and its body, and its JSON comes back', async () => {
  await using test = await setUp()
  expect(await test.user.request(IMPORT)).toEqual({ id: 'r1' })
  await test.user.request({ path: '/recordings/a%2Fb%20c', query: { q: 'a&b=ü', deep: true, no: undefined } })
  test.answers.push({ status: 204, text: '' })
  expect(await test.user.request({ method: 'DELETE', path: '/recordings/r1' })).toBeUndefined()
  const authorization = 'Bearer vm_ada_0123456789'
  expect(test.seen).toEqual([
    { line: 'POST /v1/recordings/import', authorization, type: 'application/json' },
    { line: 'GET /v1/recordings/a%2Fb%20c?q=a%26b%3D%C3%BC&deep=true', authorization, type: 'undefined' },
    { line: 'DELETE /v1/recordings/r1', authorization, type: 'undefined' },
  ])
  const finished = test.stack.events.filter(({ type }) => type === 'request.finished')
  expect(finished).toMatchObject(
    ['POST', 'GET', 'DELETE'].map((method) => ({ route: 'request', method, via: 'server', status: 200 })),
  )
  const said = JSON.stringify(test.stack.events)
  for (const text of ['recordings', 'vm_ada', 'a.example']) expect(said).not.toContain(text)
})

it.each([
  'recordings',
  '',
  'https://evil.example/recordings',
  '//evil.example/recordings',
  '/a//b',
  '/a/%2F/b',
  '/../v2/keys',
  '/a/./b',
  '/a/..',
  '/a/%2e%2E/b',
  '/a/.%2e/b',
  '/a/%252e%252e/b',
  '/a%2f..%2fb',
  '/a/..;x=1/b',
  '/a\\..\\b',
  '/a%5cb',
  '/a\nb',
  '/a%0d%0ab',
  '/a%00',
  '/a b',
  '/ü',
  '/a?b=1',
  '/a#b',
  '/a%zz',
  undefined,
  ['/a'],
])('the path %j is refused with a remedy, and nothing is sent', async (path) => {
  await using test = await setUp()
  const error = await refusalOf(test.user.request({ path: path as string }))
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, field: 'path' })
  expect(error.hint).toContain('`path` must be the path of the operation below `meetings.baseUrl`')
  expect(error.hint).toContain('encodeURIComponent')
  expect(test.seen).toEqual([])
})

it.each([
  [{ ...IMPORT, method: 'CONNECT' }, 'method', 'one of GET, POST'],
  [{ path: '/a', json: 1 }, 'json', 'left out with GET'],
  [{ ...IMPORT, json: 1n }, 'json', 'JSON can hold'],
  [{ path: '/a', query: { a: {} } }, 'query', 'texts, numbers and booleans'],
  [{ path: '/a', headers: {} }, 'headers', 'no parameter'],
])('what cannot be sent is refused with a remedy: %o', async (request, field, remedy) => {
  await using test = await setUp()
  const error = await refusalOf(test.user.request(request as typeof IMPORT))
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field })
  expect(error.hint).toContain(remedy)
  expect(test.seen).toEqual([])
})

it.each([
  [401, 'MEETINGS_CREDENTIAL_REJECTED', 'credential'],
  [404, 'NOT_FOUND', 'Compare `path`'],
  [409, 'VALIDATION_ERROR', 'refused the request with 409'],
  [500, 'UPSTREAM_ERROR', 'service'],
] as const)('a refusal with %i has a code and a hint', async (status, code, words) => {
  await using test = await setUp()
  test.answers.push(status, status)
  const error = await refusalOf(test.user.request(IMPORT))
  expect(error.code).toBe(code)
  expect(error.hint).toContain(words)
})

it('only a read is sent again after a lost connection', async () => {
  await using test = await setUp()
  test.answers.push('drop')
  expect(await test.user.request({ path: '/recordings' })).toEqual({ id: 'r1' })
  test.answers.push('drop')
  expect((await refusalOf(test.user.request(IMPORT))).code).toBe('UPSTREAM_UNREACHABLE')
  expect(test.seen.map(({ line }) => line.slice(0, 4))).toEqual(['GET ', 'GET ', 'POST'])
})

it('is in the budget and in the limits of its user', async () => {
  const clock = virtualClock()
  await using test = await setUp({
    platform: { clock, random: () => 0 },
    limits: { meetingsPerMinute: 12 },
    deadlineMs: 10_000,
  })
  const all = Promise.all(Array.from({ length: 12 }, () => test.user.request(IMPORT)))
  await expect.poll(() => test.seen.length).toBe(10)
  expect(test.stack.bff.gauge().waiting).toBe(2)
  expect((await refusalOf(test.user.request(IMPORT))).code).toBe('RATE_LIMITED')
  await clock.advance(6_000)
  expect(await all).toHaveLength(12)
})

it('a grant without meetings cannot send it, and a page has no such route', async () => {
  await using test = await setUp({}, { meetings: undefined })
  expect((await refusalOf(test.user.request(IMPORT))).code).toBe('FORBIDDEN')
  const response = await test.stack.fetch('/recordings/import', { json: IMPORT.json })
  expect(response.status).toBe(404)
  expect(test.seen).toEqual([])
})
