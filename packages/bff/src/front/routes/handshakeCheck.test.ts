import { acceptThenClose, respond, drop, fail, hang, refuse } from '@stagepass/emulator'
import { type Stack, startRawService, startStack } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'

const mint = async (stack: Stack, usage_type = 'stt') =>
  ((await (await stack.fetch('/session-token', { json: { usage_type } })).json()) as { session_key: string })
    .session_key

const check = async (stack: Stack, session_key: string, usage_type = 'stt') =>
  (await stack.fetch('/handshake-check', { json: { usage_type, session_key } })).json()

it.each(['stt', 'tts', 'viva', 'vt'])(
  'a valid token of %s is ok, and its socket is closed again',
  async (product) => {
    await using stack = await startStack()
    expect(await check(stack, await mint(stack, product), product)).toEqual({ ok: true })
    const handshake = stack.upstream.requests.at(-1)
    expect(handshake?.query).toEqual({})
    expect(handshake?.headers).toEqual({
      host: new URL(stack.upstream.streamingUrl).host,
      'accept-encoding': 'identity',
      connection: 'upgrade',
      upgrade: 'websocket',
      authorization: expect.stringMatching(/^api-key st_/),
      'sec-websocket-key': expect.any(String),
      'sec-websocket-version': '13',
    })
    await vi.waitFor(() => expect(stack.upstream.sockets).toEqual([]))
  },
)

// The contract's refusal.test.ts has every name and number in every form.
describe.each(['status', 'frame', 'close'] as const)('refused by %s', (refuseBy) => {
  it('returns its name or its number, and no text of the service', async () => {
    await using stack = await startStack()
    for (const [fault, told] of [
      [fail('invalid_api_key', { refuseBy }), { error_code: 'invalid_api_key', retryable: false }],
      [refuse(402, { refuseBy }), { error_code: 'STREAM_ERROR', retryable: false, status: 402 }],
    ] as const) {
      const undo = stack.upstream.use(fault)
      const answered = (await check(stack, 'st_any')) as object
      expect(answered).toMatchObject({ ok: false, ...told })
      const known = ['ok', 'error_code', 'retryable', 'status']
      expect(Object.keys(answered).filter((key) => !known.includes(key))).toEqual([])
      expect(stack.events.findLast(({ type }) => type === 'upstream.called')).toMatchObject({
        errorCode: told.error_code,
      })
      undo()
    }
    await vi.waitFor(() => expect(stack.upstream.sockets).toEqual([]))
  })

  it('distinguishes an unknown token, a token of another product, and one session too many', async () => {
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

it.each(['st_1\r\nx: y', 'st 1', 'é', '', 'x'.repeat(8_193)])(
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
