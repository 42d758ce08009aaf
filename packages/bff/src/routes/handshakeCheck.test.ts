import { codesOf, HANDSHAKE_ERRORS } from '@stagepass/contract'
import { acceptThenClose, answer, drop, fail, hang } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import { readRefusal } from '../handshakeRefusal.js'

const mint = async (stack: Stack, usage_type = 'stt') =>
  ((await (await stack.fetch('/session-token', { json: { usage_type } })).json()) as { session_key: string })
    .session_key

const check = async (stack: Stack, session_key: string, usage_type = 'stt') =>
  (await stack.fetch('/handshake-check', { json: { usage_type, session_key } })).json()

it.each(['stt', 'tts', 'viva', 'vt'])(
  'a live token of %s is ok, and its socket is gone again',
  async (product) => {
    await using stack = await startStack()
    expect(await check(stack, await mint(stack, product), product)).toEqual({ ok: true })
    const handshake = stack.upstream.requests.at(-1)
    expect(handshake?.query).toEqual({})
    expect(handshake?.headers.authorization).toMatch(/^api-key st_/)
    await vi.waitFor(() => expect(stack.upstream.sockets).toEqual([]))
  },
)

describe.each(['status', 'frame', 'close'] as const)('refused by %s', (refuseBy) => {
  it.each(codesOf(HANDSHAKE_ERRORS))('tells %s', async (code) => {
    await using stack = await startStack()
    stack.upstream.use(fail(code, { refuseBy }))
    expect(await check(stack, 'st_any')).toEqual({
      ok: false,
      error_code: code,
      retryable: HANDSHAKE_ERRORS[code].retryable,
    })
    await vi.waitFor(() => expect(stack.upstream.sockets).toEqual([]))
  })

  it('tells an unknown token, one of another product, and one session too many', async () => {
    await using stack = await startStack({ emulator: { refuseBy, maxSessions: 0 } })
    expect(await check(stack, 'st_unknown')).toMatchObject({ error_code: 'unauthorized', retryable: true })
    expect(await check(stack, await mint(stack, 'tts'))).toMatchObject({ error_code: 'unauthorized' })
    expect(await check(stack, await mint(stack))).toMatchObject({
      error_code: 'concurrency_limit_exceeded',
      retryable: true,
    })
  })
})

it.each([
  ['not there', 'UPSTREAM_UNREACHABLE', 502, true, (stack: Stack) => stack.upstream.close()],
  [
    'dropped',
    'UPSTREAM_UNREACHABLE',
    502,
    true,
    (stack: Stack) => stack.upstream.use(drop({ on: 'handshake' })),
  ],
  ['silent', 'UPSTREAM_TIMEOUT', 504, true, (stack: Stack) => stack.upstream.use(hang({ on: 'handshake' }))],
  [
    'in trouble',
    'UPSTREAM_ERROR',
    502,
    true,
    (stack: Stack) => stack.upstream.use(answer({ status: 503 }, { on: 'handshake' })),
  ],
  [
    'somewhere else',
    'UPSTREAM_MALFORMED',
    502,
    false,
    (stack: Stack) => stack.upstream.use(answer({ status: 404 }, { on: 'handshake' })),
  ],
  [
    'redirecting',
    'UPSTREAM_MALFORMED',
    502,
    false,
    (stack: Stack) =>
      stack.upstream.use(answer({ status: 302, headers: { location: '/x' } }, { on: 'handshake' })),
  ],
  ['closing at once', 'UPSTREAM_ERROR', 502, true, (stack: Stack) => stack.upstream.use(acceptThenClose())],
] as const)('a service that is %s is a problem', async (_what, error_code, status, retryable, prepare) => {
  await using stack = await startStack({ bff: { deadlineMs: 400 } })
  await prepare(stack)
  expect(await check(stack, 'st_any')).toMatchObject({ error_code, status, retryable })
})

it.each(['st_1\r\nx: y', 'st 1', 'é', '', 'x'.repeat(2_049)])(
  'the token %j is 400 and opens nothing',
  async (key) => {
    await using stack = await startStack()
    expect(await check(stack, key)).toMatchObject({
      status: 400,
      error_code: 'VALIDATION_ERROR',
      field: 'session_key',
    })
    expect(stack.upstream.requests).toEqual([])
  },
)

it('counts as a token request of the user, and needs the product', async () => {
  await using stack = await startStack({ bff: { limits: { tokensPerMinute: 1 } } })
  expect(await check(stack, 'st_1')).toMatchObject({ ok: false })
  expect(await check(stack, 'st_1')).toMatchObject({ status: 429, error_code: 'RATE_LIMITED' })
  stack.grant = { user: 'bob', products: ['vt'] }
  expect(await check(stack, 'st_1')).toMatchObject({ status: 403, error_code: 'FORBIDDEN' })
})

describe('readRefusal', () => {
  it.each([
    [{ status: 401, text: '' }, 'unauthorized'],
    [{ status: 403, text: '<html>' }, 'unauthorized'],
    [{ status: 429, text: '' }, 'concurrency_limit_exceeded'],
    [{ status: 401, text: '{"error_code":"invalid_api_key"}' }, 'invalid_api_key'],
    [{ status: 403, text: '{"error":{"code":"concurrency_limit_exceeded"}}' }, 'concurrency_limit_exceeded'],
    [{ text: '{"type":"error","code":429,"reason":"too many"}' }, 'concurrency_limit_exceeded'],
    [{ text: '{"type":"error","code":401}' }, 'unauthorized'],
    [{ text: '{"type":"error","code":500}' }, undefined],
    [{ text: 'unauthorized: the token has expired', closeCode: 1008 }, 'unauthorized'],
    [{ text: '', closeCode: 4_401 }, 'unauthorized'],
    [{ text: '', closeCode: 4_429 }, 'concurrency_limit_exceeded'],
    [{ text: '', closeCode: 1_011 }, undefined],
    [{ text: 'reunauthorized', closeCode: 1_000 }, undefined],
  ] as const)('reads %j as %s', (refusal, code) => {
    expect(readRefusal(refusal)).toBe(code)
  })
})
