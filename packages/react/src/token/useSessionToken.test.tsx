import { authorizedUrl } from '../stream/wire/authorizedUrl.js'
import { respond, fail } from '@stagepass/emulator'
import { act, renderHook, waitFor } from '@testing-library/react'
import { useEffect } from 'react'
import { expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useSessionToken } from './useSessionToken.js'
import { tokenSource } from './tokensOf.js'
import { sourceOf } from './sourceOf.test.kit.js'

it('returns a live token with its expiry', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => useSessionToken('stt', { ttlMinutes: 30 }))
  expect(result.current).toMatchObject({
    status: 'pending',
    token: undefined,
    expiresAt: undefined,
    error: null,
  })
  await waitFor(() => expect(result.current.status).toBe('success'))

  const { token, expiresAt } = result.current
  const [request] = setup.stack.upstream.requests
  expect(request?.body).toEqual({ usage_type: 'stt', expiration_ttl: 30 })
  expect(token?.value.length).toBeGreaterThan(10)
  expect(expiresAt).toBeInstanceOf(Date)
  expect(result.current.expiresInMs()).toBeGreaterThan(29 * 60_000)
  expect(result.current.renewsInMs()).toBeLessThan(result.current.expiresInMs())
})

it('costs one request for ten components under StrictMode', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => Array.from({ length: 10 }, () => useSessionToken('tts')))
  await waitFor(() => expect(result.current.every(({ status }) => status === 'success')).toBe(true))
  expect(setup.asked).toEqual(['/session-token'])
  expect(new Set(result.current.map(({ token }) => token)).size).toBe(1)
})

it('returns the same functions at every render, so that an effect may depend on them', async () => {
  await using setup = await setupVoice()
  const seen = { renew: new Set(), expiresInMs: new Set(), renewsInMs: new Set() }
  const { result } = setup.render(() => {
    const session = useSessionToken('stt')
    useEffect(() => {
      for (const [name, functions] of Object.entries(seen)) functions.add(session[name as keyof typeof seen])
    })
    return session
  })
  await waitFor(() => expect(result.current.status).toBe('success'))
  await act(() => result.current.renew())
  expect(Object.values(seen).map(({ size }) => size)).toEqual([1, 1, 1])
})

it('requests nothing while it is not enabled', async () => {
  await using setup = await setupVoice()
  const { result, rerender } = setup.render(({ enabled }) => useSessionToken('stt', { enabled }), {
    initialProps: { enabled: false },
  })
  await act(async () => {})
  expect(setup.asked).toEqual([])
  expect(result.current.status).toBe('pending')
  rerender({ enabled: true })
  await waitFor(() => expect(result.current.status).toBe('success'))
})

it('renews on demand and keeps the token when that fails', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => useSessionToken('stt'))
  await waitFor(() => expect(result.current.status).toBe('success'))
  const first = result.current.token
  await act(() => result.current.renew())
  const second = result.current.token
  expect(second?.value).not.toBe(first?.value)

  act(() => setup.voice.reset())
  await waitFor(() => expect(result.current.token).not.toBe(second))
  await waitFor(() => expect(result.current.status).toBe('success'))
  const third = result.current.token
  setup.stack.upstream.use(fail('BALANCE_EXHAUSTED'))
  await act(() => result.current.renew())
  expect(result.current).toMatchObject({
    status: 'success',
    error: null,
    failureReason: { code: 'BALANCE_EXHAUSTED' },
  })
  expect(result.current.token).toBe(third)
})

// errors/everyCode.test.tsx has all codes.
it('brings a token error to the hook with its req_id', async () => {
  await using setup = await setupVoice()
  setup.stack.upstream.use(fail('PAYMENT_PAST_DUE'))
  const { result } = setup.render(() => useSessionToken('vt'))
  await waitFor(() => expect(result.current.status).toBe('error'))

  const { error } = result.current
  expect(error).toMatchObject({
    name: 'VoiceError',
    code: 'PAYMENT_PAST_DUE',
    status: 403,
    retryable: false,
    requestId: expect.stringMatching(/./),
    reqId: expect.stringMatching(/./),
  })
  expect(error?.message).not.toContain(setup.stack.upstream.apiKey)
  const failed = { type: 'request.failed', route: '/session-token', code: error?.code, reqId: error?.reqId }
  expect(setup.events).toContainEqual(expect.objectContaining(failed))
})

it('S32 refuses a token that is not a session token, or is of another product', async () => {
  await using setup = await setupVoice()
  const answers = [{ type: 'api_key' }, { usage_type: 'vt' }]
  for (const wrong of answers) {
    const undo = setup.stack.intercept((_req, res) => {
      res.json({
        session_key: 'x',
        type: 'session',
        usage_type: 'stt',
        status: 'LICENSE_VALID',
        expires_at: new Date(Date.now() + 60_000).toISOString(),
        expires_in_ms: 60_000,
        stream_url: 'wss://stream.example/stt',
        ...wrong,
      })
    })
    await expect(sourceOf(setup.voice, 'stt').get()).rejects.toMatchObject({
      code: 'TOKEN_MISMATCH',
      retryable: false,
    })
    undo()
  }
  setup.stack.upstream.use(respond({ status: 200, body: { code: 0 } }, { on: 'token' }))
  await expect(sourceOf(setup.voice, 'stt').get()).rejects.toMatchObject({
    code: 'UPSTREAM_MALFORMED',
  })
})

it('says what to do if the provider is missing', () => {
  expect(() => renderHook(() => useSessionToken('stt'))).toThrow(/Wrap the application in <VoiceProvider/)
})

it('is the token of tokenSource() too, at once', async () => {
  await using setup = await setupVoice()
  const { voice } = setup
  const heard: unknown[] = []
  const source = tokenSource(voice, 'stt')
  const undo = source.subscribe(() => heard.push(source.current()?.token))
  expect([source.current(), source.state().status]).toEqual([undefined, 'pending'])
  const { result } = setup.render(() => useSessionToken('stt'))
  await waitFor(() => expect(result.current.status).toBe('success'))
  const { token, streamUrl } = result.current
  expect([source.current()?.token, tokenSource(voice, 'stt')]).toEqual([token, source])
  expect(await source.get()).toMatchObject({ token, streamUrl })
  await waitFor(() => expect(heard.at(-1)).toBe(token))
  undo()
  await source.renew()
  expect(heard.at(-1)).toBe(token)
  await waitFor(() => expect(result.current.token).toBe(source.current()?.token))
  expect(authorizedUrl(String(streamUrl), source.current()!.token)).toMatch(/\?authorization=api-key%20\S+$/)
  for (const address of [
    '/stt',
    'wss://x/stt?',
    'wss://x/stt#a',
    'wss://x/stt?authorization=a',
    'wss://x/stt?a=b&authorization=',
  ])
    expect(() => authorizedUrl(address, source.current()!.token)).toThrow(/^Failed to make the address/)
  expect(authorizedUrl('wss://x/stt?a=b', source.current()!.token)).toMatch(
    /\?a=b&authorization=api-key%20\S+$/,
  )
})
