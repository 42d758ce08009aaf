import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Server } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { fail } from '@stagepass/emulator'
import { type Stack, startService, startStack } from '@stagepass/testing'
import { createProxy } from 'proxy'
import { generate } from 'selfsigned'
import { Agent, interceptors, ProxyAgent } from 'undici'
import { afterAll, describe, expect, it } from 'vitest'
import type { UpstreamDispatcher } from '../../index.js'

const EC = { keyType: 'ec', algorithm: 'sha256' } as const
const ca = await generate([{ name: 'commonName', value: 'Test CA' }], {
  ...EC,
  extensions: [{ name: 'basicConstraints', cA: true, critical: true }],
})
const signed = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    ...EC,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  })
const [serverPair, clientPair] = await Promise.all([signed('server'), signed('client')])

const closing: (() => unknown)[] = []
afterAll(() => Promise.all(closing.map((close) => close())))

async function listen(server: Server): Promise<number> {
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', (socket: { destroy(): unknown }) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** TLS in front of the emulator, with a certificate of an unknown CA. */
async function startTls(stack: Stack, options: TlsOptions = {}) {
  let connections = 0
  const to = Number(new URL(stack.upstream.baseUrl).port)
  const server = createTlsServer(
    { key: serverPair.private, cert: serverPair.cert, ca: ca.cert, ...options },
    (socket) => {
      connections += 1
      const inner = connect(to, '127.0.0.1')
      socket.pipe(inner).pipe(socket)
      for (const end of [socket, inner]) end.on('error', () => void (socket.destroy(), inner.destroy()))
    },
  )
  const port = await listen(server)
  const at = (url: string, scheme: string) =>
    `${scheme}://127.0.0.1:${port}${new URL(url).pathname.replace(/\/$/, '')}`
  const { baseUrl, meetingsUrl, streamingUrl } = stack.upstream
  return {
    connections: () => connections,
    bff: {
      baseUrl: at(baseUrl, 'https'),
      streamingUrl: at(streamingUrl, 'wss'),
      meetings: { baseUrl: at(meetingsUrl, 'https') },
    },
  }
}

/** A third-party proxy. */
async function startProxy(authorization?: string) {
  const tunnels: IncomingMessage[] = []
  const proxy = createProxy(createServer())
  if (authorization !== undefined)
    proxy.authenticate = (req) => req.headers['proxy-authorization'] === authorization
  proxy.prependListener('connect', (req: IncomingMessage) => tunnels.push(req))
  return { url: `http://127.0.0.1:${await listen(proxy)}`, tunnels }
}

const MINT = { json: { usage_type: 'stt' } }

/** Uses every operation of the upstream. */
async function useAll(stack: Stack): Promise<void> {
  const minted = await stack.fetch('/session-token', MINT)
  expect(minted.status).toBe(200)
  const { session_key } = (await minted.json()) as { session_key: string }
  for (const path of ['/meetings', '/tags']) expect((await stack.fetch(path)).status).toBe(200)
  const check = { json: { usage_type: 'stt', session_key } }
  expect(await (await stack.fetch('/handshake-check', check)).json()).toEqual({ ok: true })
  stack.upstream.use(fail('concurrency_limit_exceeded', { times: 1 }))
  expect(await (await stack.fetch('/handshake-check', check)).json()).toMatchObject({
    ok: false,
    error_code: 'concurrency_limit_exceeded',
  })
}

const codeOf = async (stack: Stack, path = '/session-token') =>
  ((await (await stack.fetch(path, path === '/session-token' ? MINT : {})).json()) as { error_code?: string })
    .error_code

type Tls = { ca: string; cert?: string; key?: string }
const proxyAgent = (uri: string, token: string, requestTls: Tls): UpstreamDispatcher =>
  new ProxyAgent({ uri, token, requestTls })

describe('a ProxyAgent', () => {
  it('carries every upstream request, with a CA of its own', async () => {
    await using stack = await startStack()
    const front = await startTls(stack)
    const proxy = await startProxy('Basic cHJveHk6c2VjcmV0')
    const dispatcher = proxyAgent(proxy.url, 'Basic cHJveHk6c2VjcmV0', { ca: ca.cert })
    await stack.remount({ ...front.bff, dispatcher })
    await useAll(stack)
    // No request bypassed the proxy.
    expect(proxy.tunnels).toHaveLength(front.connections())
    expect(front.connections()).toBeGreaterThan(0)
    // The proxy gets none of our secrets, and the upstream none of the proxy's.
    for (const { rawHeaders } of proxy.tunnels)
      expect(rawHeaders.join()).not.toMatch(/api-key|bearer|sk_|vm_/i)
    for (const { headers } of stack.upstream.requests)
      expect(headers).not.toHaveProperty('proxy-authorization')
  })

  it('that the proxy refuses is a retryable problem', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 2_000 } })
    const front = await startTls(stack)
    const proxy = await startProxy('Basic cHJveHk6c2VjcmV0')
    await stack.remount({
      ...front.bff,
      dispatcher: proxyAgent(proxy.url, 'Basic d3Jvbmc=', { ca: ca.cert }),
    })
    expect(await codeOf(stack)).toBe('UPSTREAM_UNREACHABLE')
    expect(front.connections()).toBe(0)
  })
})

describe('an Agent', () => {
  it('shows the certificate of a client', async () => {
    await using stack = await startStack({ bff: { deadlineMs: 2_000 } })
    const front = await startTls(stack, { requestCert: true, rejectUnauthorized: true })
    const own = { cert: clientPair.cert, key: clientPair.private }
    await stack.remount({ ...front.bff, dispatcher: new Agent({ connect: { ca: ca.cert, ...own } }) })
    await useAll(stack)
    await stack.remount({ ...front.bff, dispatcher: new Agent({ connect: { ca: ca.cert } }) })
    expect(await codeOf(stack)).toBe('UPSTREAM_UNREACHABLE')
  })

  it('stays open when the BFF closes', async () => {
    await using stack = await startStack()
    const dispatcher = new Agent({ connect: { ca: ca.cert } })
    await stack.remount({ dispatcher })
    expect((await stack.fetch('/tags')).status).toBe(200)
    await stack.remount({ dispatcher })
    await useAll(stack)
  })
})

it('S11 a dispatcher that follows redirects does not follow them here', async () => {
  const dispatcher = new Agent().compose(interceptors.redirect({ maxRedirections: 5 }))
  let strayed = 0
  await using elsewhere = await startService((_req, res) => void ((strayed += 1), res.end('{}')))
  await using service = await startService((req, res) =>
    res.writeHead(req.method === 'GET' ? 302 : 307, { location: `${elsewhere.url}/x` }).end(),
  )
  await using stack = await startStack({ bff: { ...service.bff, dispatcher } })
  for (const path of ['/session-token', '/meetings', '/tags'])
    expect(await codeOf(stack, path)).toBe('UPSTREAM_MALFORMED')
  expect(strayed).toBe(0)
})

it('a dispatcher that throws or is closed is a retryable problem', async () => {
  const closed = new Agent()
  await closed.close()
  const throwing = {
    dispatch() {
      throw new Error('no proxy for sk_secret')
    },
  }
  for (const dispatcher of [closed, throwing]) {
    await using stack = await startStack({ bff: { dispatcher } })
    expect(await codeOf(stack)).toBe('UPSTREAM_UNREACHABLE')
    expect(JSON.stringify(stack.events)).not.toContain('sk_secret')
  }
})
