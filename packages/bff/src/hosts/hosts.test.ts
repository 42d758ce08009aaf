import { hang } from '@stagepass/emulator'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Host, type HostKind, HOSTS } from './startHost.test.kit.js'
import { WORKERS } from './startWorkerd.test.kit.js'

const ALL: readonly HostKind[] = [...HOSTS, ...WORKERS]

const MINT = { method: 'POST', body: '{"usage_type":"stt"}' }

const codeOf = (text: string) => (JSON.parse(text) as { error_code: string }).error_code

describe.each(ALL)('in $name', (kind) => {
  /** Of the tests that change nothing in it. */
  let host: Host
  beforeAll(async () => void (host = await kind.start()))
  afterAll(() => host[Symbol.asyncDispose]())

  it('mints a token', async () => {
    const { status, text, headers } = await host.ask('/session-token', MINT)
    expect([status, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({ usage_type: 'stt', type: 'session' }),
    ])
    expect(headers).toMatchObject({
      'cache-control': 'no-store, no-transform',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'x-content-type-options': 'nosniff',
    })
  })

  it('lists meetings, with a query', async () => {
    const { status, text } = await host.ask('/meetings?limit=1&fields=title')
    expect([status, JSON.parse(text)]).toMatchObject([200, { meetings: [{ title: expect.any(String) }] }])
    expect((await host.ask('/meetings?limit=x')).status).toBe(400)
  })

  it('refuses a body that is too long, and one that is not JSON', async () => {
    const long = { method: 'POST', body: JSON.stringify({ usage_type: 'x'.repeat(5_000) }) }
    expect((await host.ask('/session-token', long)).status).toBe(413)
    const text = { ...MINT, headers: { 'content-type': 'text/plain' } }
    expect((await host.ask('/session-token', text)).status).toBe(415)
    expect((await host.ask('/session-token', { ...MINT, body: '{' })).status).toBe(400)
    expect((await host.ask('/session-token', { method: 'POST' })).status).toBe(400)
  })

  it("passes the host's request to authorize", async () => {
    expect((await host.ask('/tags', { headers: { 'x-user': 'nobody' } })).status).toBe(401)
    expect((await host.ask('/tags', { headers: { 'x-user': 'bob' } })).status).toBe(200)
    expect((await host.readEvents()).at(-1)).toMatchObject({ type: 'request.finished', user: 'bob' })
  })

  it('answers each path below the mount itself, with any method', async () => {
    expect((await host.ask('/nothing?x=1')).status).toBe(404)
    for (const method of ['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      const { status, headers } = await host.ask('/tags', { method })
      expect([method, status, headers.allow]).toEqual([method, 405, 'GET'])
    }
  })

  it('answers HEAD /health without a body', async () => {
    const { status, text } = await host.ask('/health', { method: 'HEAD', headers: { 'x-stagepass': '0' } })
    expect([status, text]).toEqual([200, ''])
  })

  it('S4 knows the origin of the server, and refuses any other', async () => {
    const mint = async (origin: string) =>
      (await host.ask('/session-token', { ...MINT, headers: { origin } })).status
    const otherScheme = host.origin.replace(/^https?/, (scheme) => (scheme === 'http' ? 'https' : 'http'))
    expect(await mint(host.origin)).toBe(200)
    expect([await mint('http://127.0.0.1:1'), await mint(otherScheme)]).toEqual([403, 403])
    const cross = { ...MINT, headers: { origin: host.origin, 'sec-fetch-site': 'cross-site' } }
    expect((await host.ask('/session-token', cross)).status).toBe(403)
  })

  it('answers the preflight of a listed origin, and adds CORS headers to errors', async () => {
    await using host = await kind.start({ allowedOrigins: ['https://app.example'] })
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'POST' }
    const preflight = await host.ask('/session-token', { method: 'OPTIONS', headers })
    expect([preflight.status, preflight.text]).toEqual([204, ''])
    const refused = await host.ask('/nothing', { headers })
    expect(refused.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: expect.stringMatching(/\bOrigin, Authorization, Cookie, x-stagepass-user$/),
    })
    expect(codeOf(refused.text)).toBe('NOT_FOUND')
  })

  it('S28 a client that leaves aborts the upstream request', async () => {
    // If the runtime does not report it, the deadline aborts.
    const { noticesLeaving = true } = kind
    await using host = await kind.start(noticesLeaving ? {} : { deadlineMs: 1_000 })
    host.upstream.use(hang())
    const leaving = new AbortController()
    const sent = host.ask('/session-token', { ...MINT, signal: leaving.signal }).catch(() => 'left')
    await vi.waitFor(() => expect(host.upstream.requests).toHaveLength(1))
    leaving.abort()
    expect(await sent).toBe('left')
    await vi.waitFor(() => expect(host.upstream.requests[0]?.aborted).toBe(true))
    await vi.waitFor(async () => expect(await host.gauge()).toMatchObject({ inFlight: 0 }))
    const type = noticesLeaving ? 'request.abandoned' : 'request.finished'
    expect((await host.readEvents()).at(-1)).toMatchObject({ type, route: 'session-token' })
  })

  it('refuses new requests while it drains', async () => {
    await using host = await kind.start()
    await host.close()
    const { status, headers } = await host.ask('/tags')
    expect([status, headers['retry-after']]).toEqual([503, '1'])
  })
})
