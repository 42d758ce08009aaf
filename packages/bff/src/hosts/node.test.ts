import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createEmulator } from '@stagepass/emulator'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { type Bff, type BffOptions, createBff } from '../index.js'
import { nodeOrigin } from './nodeOrigin.js'

const MINT = { method: 'POST', body: '{"usage_type":"stt"}' }

/** A BFF on an emulator, in a server of its own. `fetch` sends the custom header and takes a path below the mount. */
async function startHost(mount: (bff: Bff) => RequestListener, options: Partial<BffOptions> = {}, path = '') {
  const upstream = await createEmulator()
  const bff = createBff({
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    meetings: { baseUrl: upstream.meetingsUrl },
    authorize: (req) => ({ user: String(req.headers['x-user'] ?? 'ada') }),
    ...options,
  })
  const server = createServer(mount(bff))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    bff,
    origin,
    fetch: (relative: string, { headers, ...init }: RequestInit = {}) =>
      fetch(origin + path + relative, {
        ...init,
        headers: { 'x-stagepass': '1', 'content-type': 'application/json', ...(headers as object) },
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await bff.close()
      await new Promise((resolve) => server.close(resolve))
      await upstream.close()
    },
  }
}

const HOSTS: [string, (bff: Bff) => RequestListener, string][] = [
  ['node:http', (bff) => bff, ''],
  ['express()', (bff) => express().use('/api/voice', bff), '/api/voice'],
  ['express() behind express.json()', (bff) => express().use(express.json(), bff), ''],
]

describe.each(HOSTS)('in %s', (_, mount, path) => {
  it('mints a token', async () => {
    await using host = await startHost(mount, {}, path)
    const response = await host.fetch('/session-token', MINT)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ usage_type: 'stt', type: 'session' })
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
  })

  it('refuses a body that is too long, and one that is not JSON', async () => {
    await using host = await startHost(mount, {}, path)
    const long = { method: 'POST', body: JSON.stringify({ usage_type: 'x'.repeat(5_000) }) }
    expect((await host.fetch('/session-token', long)).status).toBe(413)
    const text = { ...MINT, headers: { 'content-type': 'text/plain' } }
    expect((await host.fetch('/session-token', text)).status).toBe(415)
  })

  it('passes the request to authorize', async () => {
    let seen: unknown
    await using host = await startHost(
      mount,
      { authorize: (req) => ((seen = req.headers['x-user']), null) },
      path,
    )
    expect((await host.fetch('/tags', { headers: { 'x-user': 'bob' } })).status).toBe(401)
    expect(seen).toBe('bob')
  })

  it('answers each path below the mount itself', async () => {
    await using host = await startHost(mount, {}, path)
    expect((await host.fetch('/nothing?x=1')).status).toBe(404)
    const wrongMethod = await host.fetch('/tags', { method: 'DELETE' })
    expect([wrongMethod.status, wrongMethod.headers.get('allow')]).toEqual([405, 'GET'])
  })

  it('answers HEAD /health without a body', async () => {
    await using host = await startHost(mount, {}, path)
    const response = await host.fetch('/health', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it('knows the origin of the server', async () => {
    await using host = await startHost(mount, {}, path)
    const mint = async (origin: string) =>
      (await host.fetch('/session-token', { ...MINT, headers: { origin } })).status
    expect([await mint(host.origin), await mint('http://127.0.0.1:1')]).toEqual([200, 403])
  })

  it('closes connections while it drains', async () => {
    await using host = await startHost(mount, {}, path)
    await host.bff.close()
    const response = await host.fetch('/tags')
    expect([response.status, response.headers.get('connection')]).toEqual([503, 'close'])
  })
})

describe('headers of the response', () => {
  const allowedOrigins = ['https://app.example']
  const headers = { origin: 'https://app.example' }

  it.each([
    [undefined, 'Origin'],
    ['Accept-Encoding', 'Accept-Encoding, Origin'],
    ['Accept-Encoding, origin', 'Accept-Encoding, origin'],
    ['*', '*'],
  ])('Vary %s of a middleware in front becomes %s', async (vary, joined) => {
    const mount = (bff: Bff) =>
      express()
        .use((_req, res, next) => {
          if (vary !== undefined) res.setHeader('Vary', vary)
          next()
        })
        .use(bff)
    await using host = await startHost(mount, { allowedOrigins })
    expect((await host.fetch('/session-token', { ...MINT, headers })).headers.get('vary')).toBe(joined)
  })

  it('a response that the host sends in place of the BFF has the CORS headers', async () => {
    const mount = (bff: Bff) => express().use((req, res, next) => (bff(req, res, next), res.sendStatus(504)))
    await using host = await startHost(mount, { allowedOrigins })
    const response = await host.fetch('/session-token', { ...MINT, headers })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      504,
      'https://app.example',
    ])
  })
})

describe('nodeOrigin', () => {
  const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }

  it.each<[string, object, string | undefined]>([
    ['plain http', { headers: { host: 'a.example:8080', ...forwarded } }, 'http://a.example:8080'],
    [
      'a socket with TLS',
      { headers: { host: 'a.example' }, socket: { encrypted: true } },
      'https://a.example',
    ],
    ['capitals and a default port', { headers: { host: 'A.example:80' } }, 'http://a.example'],
    ['no Host header', { headers: {} }, undefined],
    [
      'Express 5',
      { headers: { host: 'in.example' }, protocol: 'https', host: 'a.example:8443', hostname: 'a.example' },
      'https://a.example:8443',
    ],
    [
      'Express 4',
      { headers: { host: 'a.example:8080' }, protocol: 'http', hostname: 'a.example', param: () => '' },
      'http://a.example:8080',
    ],
    [
      'Express 4 behind a trusted proxy',
      { headers: { host: 'in.example:8080' }, protocol: 'https', hostname: 'a.example', param: () => '' },
      'https://a.example',
    ],
    [
      'Express 4, an address in brackets',
      { headers: { host: '[::1]:8080' }, protocol: 'http', hostname: '[::1]', param: () => '' },
      'http://[::1]:8080',
    ],
  ])('%s', (_, request, origin) => {
    expect(nodeOrigin({ socket: {}, ...request } as unknown as IncomingMessage)).toBe(origin)
  })
})
