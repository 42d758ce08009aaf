import { codesOf, HANDSHAKE_ERRORS } from '@stagepass/contract'
import { acceptThenClose, respond, drop, fail, hang, REFUSAL_FORMS, refuse } from '@stagepass/emulator'
import { type Stack, startRawService, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'

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
    expect(handshake?.headers).toEqual({
      host: new URL(stack.upstream.streamingUrl).host,
      connection: 'upgrade',
      upgrade: 'websocket',
      authorization: expect.stringMatching(/^api-key st_/),
      'sec-websocket-key': expect.any(String),
      'sec-websocket-version': '13',
    })
    await vi.waitFor(() => expect(stack.upstream.sockets).toEqual([]))
  },
)

/** What the number means without a name. */
const NUMBERS = [
  [400, 'STREAM_ERROR', false],
  [401, 'unauthorized', true],
  [402, 'STREAM_ERROR', false],
  [403, 'unauthorized', true],
  [429, 'concurrency_limit_exceeded', true],
  [500, 'STREAM_ERROR', true],
  [503, 'STREAM_ERROR', true],
] as const

describe.each(['status', 'frame', 'close'] as const)('refused by %s', (refuseBy) => {
  it.each(codesOf(HANDSHAKE_ERRORS))('tells %s, and nothing that the service wrote', async (code) => {
    await using stack = await startStack()
    for (const refusalForm of ['nested', 'nested-name', 'flat-name'] as const) {
      const undo = stack.upstream.use(fail(code, { refuseBy, refusalForm }))
      const answered = await check(stack, 'st_any')
      expect(answered).toMatchObject({
        ok: false,
        error_code: code,
        retryable: HANDSHAKE_ERRORS[code].retryable,
      })
      expect(Object.keys(answered as object).filter((key) => key !== 'status')).toEqual([
        'ok',
        'error_code',
        'retryable',
      ])
      expect(stack.events.findLast(({ type }) => type === 'upstream.called')).toMatchObject({
        errorCode: code,
      })
      undo()
    }
    await vi.waitFor(() => expect(stack.upstream.sockets).toEqual([]))
  })

  it.each(NUMBERS)('reads the number %i as %s, in every form', async (status, error_code, retryable) => {
    await using stack = await startStack()
    for (const refusalForm of REFUSAL_FORMS) {
      const undo = stack.upstream.use(refuse(status, { refuseBy, refusalForm }))
      expect(await check(stack, 'st_any')).toEqual({ ok: false, error_code, retryable, status })
      expect(stack.events.findLast(({ type }) => type === 'upstream.called')).toMatchObject({
        errorCode: error_code,
        status,
      })
      undo()
    }
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
    'speaking of something else',
    'UPSTREAM_MALFORMED',
    502,
    false,
    (stack: Stack) => stack.upstream.use(respond({ status: 418 }, { on: 'handshake' })),
  ],
  [
    'somewhere else',
    'UPSTREAM_MALFORMED',
    502,
    false,
    (stack: Stack) => stack.upstream.use(respond({ status: 404 }, { on: 'handshake' })),
  ],
  [
    'redirecting',
    'UPSTREAM_MALFORMED',
    502,
    false,
    (stack: Stack) =>
      stack.upstream.use(respond({ status: 302, headers: { location: '/x' } }, { on: 'handshake' })),
  ],
  ['closing at once', 'UPSTREAM_ERROR', 502, true, (stack: Stack) => stack.upstream.use(acceptThenClose())],
] as const)('a service that is %s is a problem', async (_what, error_code, status, retryable, prepare) => {
  await using stack = await startStack({ bff: { deadlineMs: 400 } })
  await prepare(stack)
  expect(await check(stack, 'st_any')).toMatchObject({ error_code, status, retryable })
})

it.each([
  ['another key', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='],
  ['nothing', undefined],
])('a server that upgrades and shows %s speaks no WebSocket', async (_, accept) => {
  await using service = await startRawService((socket) =>
    socket.once('data', () =>
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n${accept === undefined ? '' : `sec-websocket-accept: ${accept}\r\n`}\r\n`,
      ),
    ),
  )
  await using stack = await startStack({ bff: { streamingUrl: service.url.replace('http', 'ws') } })
  expect(await check(stack, 'st_1')).toMatchObject({ error_code: 'UPSTREAM_MALFORMED', status: 502 })
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
