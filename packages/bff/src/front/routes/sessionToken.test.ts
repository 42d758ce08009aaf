import { SessionTokenResponse } from '@stagepass/contract/schemas'
import { respond, fail } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { tokenBody } from '../../ask.test.kit.js'
import { expiresInMs } from '../../desk/mintToken.js'

const mint = (stack: Stack, body: object = { usage_type: 'stt' }) =>
  stack.fetch('/session-token', { json: body })
const read = async (stack: Stack, body?: object): Promise<object> =>
  (await (await mint(stack, body)).json()) as object
const MINUTE_MS = 60_000

it('a path in the base addresses is kept', async () => {
  await using stack = await startStack()
  await stack.remount({ streamingUrl: 'wss://stream.example.com/realtime/v1/' })
  expect(await read(stack)).toMatchObject({ stream_url: 'wss://stream.example.com/realtime/v1/stt' })
  await stack.remount({ baseUrl: `${stack.upstream.baseUrl}/eu/` })
  await mint(stack)
  expect(stack.upstream.requests.at(-1)?.path).toBe('/eu/v2/sdk/tokens/session')
})

const REQ_ID = '0b9c2a54-1d3e-4f60-8a71-92b3c4d5e6f7'

describe('expires_in_ms', () => {
  const now = () => Date.parse('2030-01-01T00:00:00Z')

  it.each([
    ['by the clock of the upstream', '2026-01-01T00:30:00Z', '2026-01-01T00:00:00Z', 30],
    ['by our own clock if it shows none', '2030-01-01T00:20:00Z', undefined, 20],
    ['never more than was asked for', '2026-01-01T05:00:00Z', '2026-01-01T00:00:00Z', 60],
    ['never below nothing', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z', 0],
  ])('counts %s', (_what, expiresAt, upstreamNow, minutes) => {
    const upstreamNowMs = upstreamNow === undefined ? undefined : Date.parse(upstreamNow)
    const minted = { expiresAtMs: Date.parse(expiresAt), upstreamNowMs }
    expect(expiresInMs(minted, 60, now)).toBe(minutes * MINUTE_MS)
  })

  const readMinutes = async (stack: Stack, body?: object): Promise<number> =>
    SessionTokenResponse.parse(await read(stack, body)).expires_in_ms / MINUTE_MS

  it('is computed with our own clock if the Date of the upstream cannot be read', async () => {
    await using stack = await startStack()
    const body = tokenBody({ expires_at: new Date(Date.now() + 20 * MINUTE_MS).toISOString() })
    stack.upstream.use(respond({ status: 200, headers: { date: 'never' }, body }))
    expect(Math.ceil(await readMinutes(stack))).toBe(20)
  })

  it('is right even if the wall clock of this server is wrong by a day', async () => {
    await using stack = await startStack({ bff: { platform: { wallNow: () => Date.now() + 86_400_000 } } })
    expect(Math.ceil(await readMinutes(stack, { usage_type: 'stt', expiration_ttl: 30 }))).toBe(30)
  })

  it('reads a time without a zone as UTC, and refuses an invalid time', async () => {
    await using stack = await startStack()
    const cases = [
      ['2099-01-01T00:00:00', '2099-01-01T00:00:00Z'],
      ['2099-01-01T00:00:00.123456', '2099-01-01T00:00:00.123456Z'],
      ['2099-01-01T00:00:00+00:00', '2099-01-01T00:00:00+00:00'],
      ['2099-01-01t00:00:00z', '2099-01-01T00:00:00Z'],
      ['tomorrow', undefined],
      [4_070_908_800, undefined],
      [['2099-01-01T00:00:00'], undefined],
      [undefined, undefined],
    ] as const
    for (const [expires_at, expected] of cases) {
      const body = tokenBody({ expires_at, key_id: 'seven' }, { req_id: undefined })
      stack.upstream.use(respond({ status: 200, body }, { times: 1 }))
      const want = expected ? { expires_at: expected } : { error_code: 'UPSTREAM_MALFORMED' }
      expect(await read(stack)).toMatchObject(want)
    }
  })

  it.each([
    tokenBody({ type: 'master' }),
    tokenBody({ usage_type: 'vt' }),
    tokenBody({ session_key: '' }),
    tokenBody({ session_key: 7 }),
    tokenBody({ status: null }),
    tokenBody({}, { code: 1 }),
  ])('%j is no token', async (body) => {
    await using stack = await startStack()
    stack.upstream.use(respond({ status: 200, body }))
    expect(await read(stack)).toMatchObject({ error_code: 'UPSTREAM_MALFORMED', req_id: REQ_ID })
  })
})

describe('retries', () => {
  const retriesOf = (stack: Stack) => stack.events.filter(({ type }) => type === 'upstream.retried')

  it.each([
    [1, 200, 1],
    [3, 200, 3],
    [4, 503, 3],
  ])('after CACHE_UNAVAILABLE %i times the status is %i', async (times, status, retries) => {
    await using stack = await startStack()
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { times }))
    expect((await mint(stack)).status).toBe(status)
    expect(stack.upstream.requests).toHaveLength(retries + 1)
    const first = { errorCode: 'CACHE_UNAVAILABLE', repeat: 1, operation: 'session-token' }
    expect(retriesOf(stack)).toHaveLength(retries)
    expect(retriesOf(stack)[0]).toMatchObject(first)
  })

  it.each([
    ['/session-token', { json: { usage_type: 'stt' } }],
    ['/meetings', {}],
    ['/tags', {}],
  ])('%s is sent again after a 408, because the service has not read it', async (path, request) => {
    await using stack = await startStack()
    stack.upstream.use(respond({ status: 408, headers: { connection: 'close' } }, { times: 1 }))
    expect((await stack.fetch(path, request)).status).toBe(200)
    expect(stack.upstream.requests.map(({ status }) => status)).toEqual([408, 200])
    expect(retriesOf(stack)).toMatchObject([{ errorCode: 'UPSTREAM_UNREACHABLE', repeat: 1 }])
  })

  it('a connection that is refused is tried again, because nothing was written', async () => {
    await using stack = await startStack()
    await stack.upstream.close()
    expect(await read(stack)).toMatchObject({ error_code: 'UPSTREAM_UNREACHABLE' })
    expect(retriesOf(stack)).toHaveLength(3)
    const called = { type: 'upstream.called', operation: 'session-token', failure: 'ECONNREFUSED' }
    expect(stack.events).toContainEqual(expect.objectContaining(called))
  })
})
