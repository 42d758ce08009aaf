import { createServer, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { delay } from '@stagepass/emulator'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { nodeOrigin } from './nodeOrigin.js'
import type { Bff } from './createBff.js'
import { EXPRESS, type LocalHost, NODE, nodeHost, type NodeRequest } from '../startHost.test.kit.js'

const MINT = { method: 'POST', body: '{"usage_type":"stt"}' }
const inExpress = (mount: (app: express.Express, bff: Bff<NodeRequest>) => unknown) =>
  nodeHost('Express', '', (bff) => {
    const app = express()
    mount(app, bff)
    return createServer(app)
  })

describe('headers of the response', () => {
  const allowedOrigins = ['https://app.example']
  const headers = { origin: 'https://app.example' }

  it.each([
    [undefined, 'Origin, Authorization, Cookie, x-stagepass-user'],
    ['Accept-Encoding', 'Accept-Encoding, Origin, Authorization, Cookie, x-stagepass-user'],
    ['Accept-Encoding, origin, Cookie', 'Accept-Encoding, origin, Cookie, Authorization, x-stagepass-user'],
    ['*', '*'],
  ])('Vary %s of a middleware in front becomes %s', async (vary, joined) => {
    const kind = inExpress((app, bff) =>
      app
        .use((_req, res, next) => {
          if (vary !== undefined) res.setHeader('Vary', vary)
          next()
        })
        .use(bff),
    )
    await using host = await kind.start({ allowedOrigins })
    expect((await host.ask('/session-token', { ...MINT, headers })).headers['vary']).toBe(joined)
  })

  it('a response that the host sends instead of the BFF has the CORS headers', async () => {
    const kind = inExpress((app, bff) =>
      app.use((req, res, next) => (bff(req, res, next), res.sendStatus(504))),
    )
    await using host = await kind.start({ allowedOrigins })
    const answer = await host.ask('/session-token', { ...MINT, headers })
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([
      504,
      'https://app.example',
    ])
  })
})

describe('20 MB', () => {
  const MiB = 1_048_576
  const HEAD =
    'POST /session-token HTTP/1.1\r\nhost: a\r\nx-stagepass: 1\r\ncontent-type: application/json\r\n'
  // A server that parses the body as requests would respond to this one.
  const SMUGGLED = `GET /health HTTP/1.1\r\nhost: a\r\n\r\n`

  /**
   * Writes the head, then up to 20 MB of body while the server reads. Returns everything that was received.
   */
  async function pour(host: LocalHost<unknown>, head: string, body: (part: string) => string) {
    const accepted = new Promise<Socket>((resolve) => host.server.once('connection', resolve))
    const client = connect(Number(new URL(host.origin).port), '127.0.0.1')
    let received = ''
    client.on('data', (chunk) => (received += chunk.toString()))
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    // The server closes the connection while this side is still writing.
    client.on('error', () => undefined)
    client.write(`${head}\r\n`)
    const part = body(SMUGGLED.padEnd(65_536, SMUGGLED))
    const write = (): void => {
      let more = true
      while (more && client.writable && client.bytesWritten < 20 * MiB) more = client.write(part)
    }
    client.on('drain', write)
    write()
    const server = await accepted
    // The response arrives before the body has ended.
    await vi.waitFor(() => expect(received).toMatch(/\r\n\r\n\{.*\}$/s))
    expect(client.destroyed).toBe(false)
    await closed
    return { received, bytesRead: server.bytesRead }
  }

  it.each([
    ['with its length in a header', `content-length: ${20 * MiB}\r\n`, (part: string) => part],
    [
      'in chunks',
      'transfer-encoding: chunked\r\n',
      (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`,
    ],
  ])('S8 are refused without reading them, %s', async (_, header, body) => {
    await using host = await NODE.start()
    const { received, bytesRead } = await pour(host, HEAD + header, body)
    expect(received).toMatch(/^HTTP\/1\.1 413 /)
    expect(received).toMatch(/^connection: close\r$/im)
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(bytesRead).toBeLessThan(MiB)
  })

  it('S8 are not read if the gate refuses the request', async () => {
    await using host = await NODE.start()
    const head = `${HEAD.replace('x-stagepass: 1', 'x-stagepass: 0')}content-length: ${20 * MiB}\r\n`
    const { received, bytesRead } = await pour(host, head, (part) => part)
    expect(received).toMatch(/^HTTP\/1\.1 403 [\s\S]*^connection: close\r$/im)
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(bytesRead).toBeLessThan(MiB)
  })

  it('S8 a small unread body leaves the connection open, and is not parsed as the next request', async () => {
    await using host = await NODE.start()
    const client = connect(Number(new URL(host.origin).port), '127.0.0.1')
    let received = ''
    client.on('data', (chunk) => (received += chunk.toString()))
    const refused = HEAD.replace('x-stagepass: 1', 'x-stagepass: 0')
    client.write(`${refused}content-length: ${SMUGGLED.length}\r\n\r\n`)
    await vi.waitFor(() => expect(received).toContain('CROSS_SITE_BLOCKED'))
    client.write(`${SMUGGLED}GET /nothing HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
    await new Promise((resolve) => client.once('close', resolve))
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 403'])
  })
})

describe('a body that the host has read before', () => {
  const withBody = (define: (body: Buffer) => PropertyDescriptor) =>
    inExpress((app, bff) =>
      app
        .use((req, _res, next) => {
          const chunks: Buffer[] = []
          req.on('data', (chunk: Buffer) => chunks.push(chunk))
          req.on('end', () => {
            Object.defineProperty(req, 'body', { ...define(Buffer.concat(chunks)), configurable: true })
            next()
          })
        })
        .use(bff),
    )

  it.each<[string, (body: Buffer) => unknown]>([
    ['a Buffer', (body) => body],
    ['a Uint8Array', (body) => new Uint8Array(body)],
    ['a part of a Uint8Array', (body) => new Uint8Array([0, ...body, 0]).subarray(1, body.length + 1)],
    ['a DataView', (body) => new DataView(new Uint8Array(body).buffer)],
    ['an ArrayBuffer', (body) => new Uint8Array(body).buffer],
    ['a text', (body) => body.toString()],
    ['an object', (body) => JSON.parse(body.toString()) as unknown],
  ])('is taken as %s', async (_, bodyOf) => {
    await using host = await withBody((body) => ({ value: bodyOf(body) })).start()
    expect((await host.ask('/session-token', MINT)).status).toBe(200)
  })

  it('is 400 with the cause if `req.body` throws', async () => {
    const kind = withBody(() => ({
      get() {
        throw new Error('Invalid JSON')
      },
    }))
    await using host = await kind.start()
    const { status, text } = await host.ask('/session-token', MINT)
    expect([status, JSON.parse(text)]).toMatchObject([400, { error_code: 'VALIDATION_ERROR' }])
    expect(host.events.at(-1)).toMatchObject({ seen: { cause: 'read' } })
  })
})

describe.each([NODE, EXPRESS])('requests on one connection of $name', (kind) => {
  const path = kind === NODE ? '' : '/api/voice'
  const head = (gate: string, length: number) =>
    `POST ${path}/session-token HTTP/1.1\r\nhost: a\r\nx-stagepass: ${gate}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
  const mint = head('1', MINT.body.length) + MINT.body

  const open = (host: LocalHost<unknown>) => {
    const client = connect(Number(new URL(host.origin).port), '127.0.0.1')
    const received = { text: '' }
    client.on('data', (chunk) => (received.text += chunk.toString())).on('error', () => undefined)
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    return { client, received, closed }
  }

  it.each([
    ['a body that is too long', '1', 30_000, 413, 20_000],
    ['an unread body', '0', 30_000, 403, 0],
  ])('S8 are not run after %s', async (_what, gate, length, status, sent) => {
    await using host = await kind.start()
    const { client, received, closed } = open(host)
    client.write(head(gate, length) + 'a'.repeat(sent))
    await vi.waitFor(() => expect(received.text).toMatch(/\r\n\r\n\{.*\}$/s))
    client.write('a'.repeat(length - sent) + mint.repeat(5))
    await closed
    expect(received.text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} .*connection: close`, 'is'))
    expect(received.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(host.upstream.requests).toEqual([])
    expect(host.events.filter(({ type }) => type.startsWith('request.'))).toHaveLength(1)
  })

  it('S8 are not run after a body that is too long, in one packet', async () => {
    await using host = await kind.start()
    const { client, received, closed } = open(host)
    client.end(head('1', 30_000) + 'a'.repeat(30_000) + mint.repeat(5))
    await closed
    const isClosed = /connection: close/i.test(received.text)
    const answered = received.text.match(/HTTP\/1\.1/g)?.length ?? 0
    expect([answered, host.upstream.requests.length]).toEqual(isClosed ? [1, 0] : [6, 5])
  })

  it('S28 are all aborted if the client hangs up, also those behind another', async () => {
    await using host = await kind.start()
    host.upstream.use(delay(60_000))
    const { client } = open(host)
    client.write(mint.repeat(20))
    await vi.waitFor(async () => expect((await host.gauge()).inFlight).toBe(20))
    client.destroy()
    await vi.waitFor(async () => expect((await host.gauge()).inFlight).toBe(0))
    expect(host.events.filter(({ type }) => type === 'request.abandoned')).toHaveLength(20)
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
      'HTTP/2',
      { headers: { ':authority': 'A.example:443', host: 'b.example' }, socket: { encrypted: true } },
      'https://a.example',
    ],
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
