import { expect, it } from 'vitest'
import { UNSEEN_SLEEP_MS } from '../platform/sleepAware.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import { createMint } from './createMint.js'

type MintClient = Parameters<typeof createMint>[0]

const RESPONSE = {
  session_key: 'secret',
  expires_in_ms: 300_000,
  expires_at: '2026-01-01T00:05:00.000Z',
  stream_url: 'wss://stream.example/stt',
  type: 'session',
  usage_type: 'stt',
}

/** A BFF that responds after 400 ms. */
function setUp(response: object = {}, client: Partial<MintClient> = {}) {
  const platform = createVirtualPlatform()
  const requests: unknown[] = []
  const request = async (sent: unknown): Promise<unknown> => {
    requests.push(sent)
    await platform.advance(400)
    return { ...RESPONSE, ...response }
  }
  const mint = createMint({
    request: request as MintClient['request'],
    platform,
    user: 'ada',
    sessionId: undefined,
    ...client,
  })
  const { signal } = new AbortController()
  return { platform, requests, signal, mint: () => mint('stt', { ttlMinutes: 30, signal }) }
}

it('requests a token of the product, and counts its life from before the request', async () => {
  const { platform, mint, requests, signal } = setUp()
  const sentAt = platform.now()
  const minted = await mint()
  expect(requests).toEqual([
    {
      route: '/session-token',
      json: { usage_type: 'stt', expiration_ttl: 30, session_id: undefined },
      signal,
    },
  ])
  const deadline = sentAt + 300_000 - UNSEEN_SLEEP_MS
  expect(minted).toMatchObject({
    streamUrl: 'wss://stream.example/stt',
    expiresAt: new Date('2026-01-01T00:05:00.000Z'),
    deadline,
  })
  await platform.advance(deadline - platform.now() - 1)
  expect(minted.token.value).toBe('secret')
  await platform.advance(1)
  expect(minted.token.value).toBe('')
})

it('has the id of the request, to quote to the support of the service', async () => {
  const { token } = await setUp({ req_id: 'r-1' }).mint()
  expect(token.reqId).toBe('r-1')
  expect(JSON.stringify(token)).not.toContain('r-1')
  for (const req_id of [undefined, null, 7])
    expect((await setUp({ req_id }).mint()).token.reqId).toBeUndefined()
})

it.each([
  ['a receipt', 'a receipt'],
  [undefined, undefined],
  [7, undefined],
])('has the receipt %o of the minutes as %o', async (usage_receipt, receipt) => {
  expect((await setUp({ usage_receipt }).mint()).receipt).toBe(receipt)
})

it('sends the session id, from a string or from a function of the user', async () => {
  const named = setUp({}, { sessionId: 'a call' })
  await named.mint()
  expect(named.requests).toMatchObject([{ json: { session_id: 'a call' } }])
  const of = setUp({}, { sessionId: (user) => `session of ${user}` })
  await of.mint()
  expect(of.requests).toMatchObject([{ json: { session_id: 'session of ada' } }])
  const nobody = setUp({}, { sessionId: (user) => String(user), user: null })
  await nobody.mint()
  expect(nobody.requests).toMatchObject([{ json: { session_id: 'undefined' } }])
})

it.each([
  [{ session_key: 7 }],
  [{ session_key: '' }],
  [{ session_key: undefined }],
  [{ expires_in_ms: '300000' }],
  [{ expires_in_ms: -1 }],
  [{ expires_in_ms: NaN }],
  [{ stream_url: undefined }],
  [{ expires_at: 'soon' }],
  [{ expires_at: undefined }],
])('uses no response with %j', async (response) => {
  await expect(setUp(response).mint()).rejects.toMatchObject({ code: 'MALFORMED_RESPONSE' })
})

it('accepts a token whose life is 0: it has expired', async () => {
  expect((await setUp({ expires_in_ms: 0 }).mint()).token.value).toBe('')
})

it.each([[{ type: 'long-lived' }], [{ type: undefined }], [{ usage_type: 'vt' }]])(
  'S32 uses no key of another kind or product: %j',
  async (response) => {
    await expect(setUp(response).mint()).rejects.toMatchObject({ code: 'TOKEN_MISMATCH' })
  },
)
