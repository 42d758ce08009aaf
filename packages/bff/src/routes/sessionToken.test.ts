import { SessionTokenAnswer } from '@stagepass/contract/schemas'
import { answer, drop, fail } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { expiresInMs, grantedTtlMinutes } from './sessionToken.js'

const mint = (stack: Stack, body: object = { usage_type: 'stt' }) =>
  stack.fetch('/session-token', { json: body })

it.each([
  ['stt', '/stt'],
  ['tts', '/tts'],
  ['viva', '/voice-isolation'],
  ['vt', '/vt'],
])('a token of %s names its socket, without a credential', async (usage_type, path) => {
  await using stack = await startStack()
  const token = SessionTokenAnswer.parse(await (await mint(stack, { usage_type, expiration_ttl: 5 })).json())
  expect(token).toMatchObject({
    usage_type,
    type: 'session',
    status: 'LICENSE_VALID',
    stream_url: stack.upstream.streamingUrl + path,
  })
  expect(token.expires_in_ms).toBeGreaterThan(4.9 * 60_000)
})

it('a path in the base addresses is kept', async () => {
  await using stack = await startStack()
  await stack.remount({ streamingUrl: 'wss://stream.example.com/realtime/v1/' })
  expect(await (await mint(stack)).json()).toMatchObject({
    stream_url: 'wss://stream.example.com/realtime/v1/stt',
  })
  await stack.remount({ baseUrl: `${stack.upstream.baseUrl}/eu/` })
  await mint(stack)
  expect(stack.upstream.requests.at(-1)?.path).toBe('/eu/v2/sdk/tokens/session')
})

describe('expires_in_ms', () => {
  const at = (iso: string) => Date.parse(iso)
  const now = () => at('2030-01-01T00:00:00Z')

  it.each([
    ['by the clock of the upstream', '2026-01-01T00:30:00Z', '2026-01-01T00:00:00Z', 60, 30],
    ['by our own where it shows none', '2030-01-01T00:20:00Z', undefined, 60, 20],
    ['never more than was asked for', '2026-01-01T05:00:00Z', '2026-01-01T00:00:00Z', 60, 60],
    ['never below nothing', '2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z', 60, 0],
  ])('counts %s', (_what, expiresAt, upstreamNow, ttl, minutes) => {
    const minted = {
      expiresAtMs: at(expiresAt),
      upstreamNowMs: upstreamNow === undefined ? undefined : at(upstreamNow),
    }
    expect(expiresInMs(minted, ttl, now)).toBe(minutes * 60_000)
  })

  it('is counted by our own clock where the Date of the upstream cannot be read', async () => {
    await using stack = await startStack()
    const data = {
      session_key: 'st_1',
      expires_at: new Date(Date.now() + 20 * 60_000).toISOString(),
      key_id: 1,
      status: 'x',
      type: 'session',
      usage_type: 'stt',
    }
    const body = { code: 0, message: '', data, req_id: 'r' }
    stack.upstream.use(answer({ status: 200, headers: { date: 'never' }, body }))
    const { expires_in_ms } = SessionTokenAnswer.parse(await (await mint(stack)).json())
    expect(expires_in_ms).toBeGreaterThan(19 * 60_000)
    expect(expires_in_ms).toBeLessThanOrEqual(20 * 60_000)
  })

  it('is right with the wall clock of this server a day off', async () => {
    await using stack = await startStack({ bff: { platform: { wallNow: () => Date.now() + 86_400_000 } } })
    const { expires_in_ms } = SessionTokenAnswer.parse(
      await (await mint(stack, { usage_type: 'stt', expiration_ttl: 30 })).json(),
    )
    expect(expires_in_ms).toBeGreaterThan(29 * 60_000)
    expect(expires_in_ms).toBeLessThanOrEqual(30 * 60_000)
  })

  it('takes a time without a zone for UTC, and refuses one that is no time', async () => {
    await using stack = await startStack()
    const data = {
      session_key: 'st_1',
      key_id: 'seven',
      status: 'active',
      type: 'session',
      usage_type: 'stt',
    }
    const cases = [
      ['2099-01-01T00:00:00', '2099-01-01T00:00:00Z'],
      ['2099-01-01T00:00:00.123456', '2099-01-01T00:00:00.123456Z'],
      ['2099-01-01T00:00:00+00:00', '2099-01-01T00:00:00+00:00'],
      ['tomorrow', undefined],
      [4_070_908_800, undefined],
      [undefined, undefined],
    ] as const
    for (const [expires_at, expected] of cases) {
      const body = { code: 0, message: 'Success', data: { ...data, expires_at } }
      stack.upstream.use(answer({ status: 200, body }, { times: 1 }))
      const got = (await (await mint(stack)).json()) as object
      expect(got).toMatchObject(expected ? { expires_at: expected } : { error_code: 'UPSTREAM_MALFORMED' })
    }
  })

  it.each([
    { type: 'master' },
    { usage_type: 'vt' },
    { session_key: '' },
    { session_key: 7 },
    { status: null },
    { code: 1 },
  ])('a token with %j is no answer', async (change) => {
    await using stack = await startStack()
    const data = {
      session_key: 's',
      expires_at: '2099-01-01T00:00:00Z',
      key_id: 1,
      status: 'x',
      type: 'session',
      usage_type: 'stt',
    }
    stack.upstream.use(
      answer({
        status: 200,
        body: {
          code: 0,
          message: '',
          data: { ...data, ...change },
          req_id: 'r-1',
          ...('code' in change && change),
        },
      }),
    )
    expect(await (await mint(stack)).json()).toMatchObject({
      error_code: 'UPSTREAM_MALFORMED',
      req_id: 'r-1',
    })
  })
})

it('grantedTtlMinutes asks for nothing where the default is within the grant', () => {
  expect(grantedTtlMinutes('stt', undefined, undefined)).toBeUndefined()
  expect(grantedTtlMinutes('stt', undefined, 180)).toBeUndefined()
  expect(grantedTtlMinutes('stt', undefined, 179)).toBe(179)
  expect(grantedTtlMinutes('vt', 1_440, 600)).toBe(600)
})

describe('repetitions', () => {
  it.each([1, 2, 3])('CACHE_UNAVAILABLE %i times is not seen by the browser', async (times) => {
    await using stack = await startStack()
    stack.upstream.use(fail('CACHE_UNAVAILABLE', { times }))
    expect((await mint(stack)).status).toBe(200)
    expect(stack.upstream.requests).toHaveLength(times + 1)
    const told = stack.events.filter(({ type }) => type === 'upstream.retried')
    expect(told).toHaveLength(times)
    expect(told[0]).toMatchObject({ errorCode: 'CACHE_UNAVAILABLE', repeat: 1, operation: 'session-token' })
  })

  it('CACHE_UNAVAILABLE for ever is 503 after four tries', async () => {
    await using stack = await startStack()
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    expect((await mint(stack)).status).toBe(503)
    expect(stack.upstream.requests).toHaveLength(4)
  })

  it('a pause that would outlast the deadline is not made', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 150, platform: { random: () => 0.99 } } })
    stack.upstream.use(fail('CACHE_UNAVAILABLE'))
    expect(await (await mint(stack)).json()).toMatchObject({ error_code: 'CACHE_UNAVAILABLE' })
    expect(stack.upstream.requests).toHaveLength(1)
  })

  it.each(['after-reading', 'mid-answer'] as const)(
    'a request that was written and lost %s is not repeated',
    async (when) => {
      await using stack = await startStack()
      stack.upstream.use(drop({ when, times: 1 }))
      expect(await (await mint(stack)).json()).toMatchObject({
        error_code: 'UPSTREAM_UNREACHABLE',
        retryable: true,
      })
      expect(stack.upstream.requests).toHaveLength(1)
    },
  )

  it('a connection that is refused is tried again, for nothing was written', async () => {
    await using stack = await startStack()
    await stack.upstream.close()
    expect(await (await mint(stack)).json()).toMatchObject({ error_code: 'UPSTREAM_UNREACHABLE' })
    expect(stack.events.filter(({ type }) => type === 'upstream.retried')).toHaveLength(3)
    expect(stack.events).toContainEqual(
      expect.objectContaining({
        type: 'upstream.called',
        operation: 'session-token',
        failure: 'ECONNREFUSED',
      }),
    )
  })
})

it('RATE_LIMITED says when to come back', async () => {
  await using stack = await startStack({ bff: { limits: { tokensPerMinute: 1 } } })
  await mint(stack)
  const response = await mint(stack)
  expect(response.status).toBe(429)
  const pauseS = Number(response.headers.get('retry-after'))
  expect(pauseS).toBeGreaterThan(50)
  expect(pauseS).toBeLessThanOrEqual(60)
  expect(stack.events).toContainEqual(
    expect.objectContaining({ type: 'limit.exceeded', user: 'ada', limit: 'tokensPerMinute' }),
  )
})
