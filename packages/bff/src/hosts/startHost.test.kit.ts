import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import * as http2 from 'node:http2'
import { createServer as createTlsServer, request as requestTls } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import express from 'express'
import { Hono } from 'hono'
import { generate } from 'selfsigned'
import { type Bff, type BffEvent, type BffOptions, createBff } from '../index.js'

export type AnyRequest = IncomingMessage | http2.Http2ServerRequest | Request
export type AnyBff = Bff<AnyRequest>

export const headerOf = ({ headers }: AnyRequest, name: string): string | undefined => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : undefined
}

/** A server of which we wrote nothing, with a BFF in it. */
export interface HostKind {
  readonly name: string
  /** Path in front of the routes. */
  readonly path: string
  readonly options?: Partial<BffOptions<AnyRequest>>
  mount(bff: AnyBff): Server | Promise<Server>
}

const listen = (listener: RequestListener): Server => createServer(listener)

const MOUNT = '/api/voice'
const basePath = { basePath: MOUNT }

/**
 * Hono on its own server, which turns Node's requests into those of the web. The adapter replaces the global `Request` and `Response`, as it
 * does for users. The next file of the worker must not find them.
 */
const hono = (bff: AnyBff, options: object = {}): Server => {
  const app = new Hono().all(`${MOUNT}/*`, (context) => bff.fetch(context.req.raw))
  const { Request, Response } = Object.getOwnPropertyDescriptors(globalThis)
  const server = createAdaptorServer({ fetch: app.fetch, ...options })
  return server.once('close', () => Object.defineProperties(globalThis, { Request, Response }))
}

const certificate = generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  algorithm: 'sha256',
})
const tls = async () => {
  const { private: key, cert } = await certificate
  return { key, cert }
}

/** Every host has the same tests. */
export const HOSTS: readonly HostKind[] = [
  { name: 'node:http', path: '', mount: listen },
  { name: 'node:http with basePath', path: MOUNT, options: basePath, mount: listen },
  { name: 'node:https', path: '', mount: async (bff) => createTlsServer(await tls(), bff) },
  { name: 'node:http2', path: '', mount: async (bff) => http2.createSecureServer(await tls(), bff) },
  { name: 'Express', path: MOUNT, mount: (bff) => listen(express().use(MOUNT, bff)) },
  {
    name: 'Express behind express.json()',
    path: '',
    mount: (bff) => listen(express().use(express.json(), bff)),
  },
  {
    name: 'Express with a mount and basePath',
    path: MOUNT,
    options: basePath,
    mount: (bff) => listen(express().use(MOUNT, bff)),
  },
  {
    name: 'Express with basePath in a router',
    path: MOUNT,
    options: basePath,
    mount: (bff) => listen(express().use('/api', express.Router().use(bff))),
  },
  { name: 'Hono', path: MOUNT, options: basePath, mount: hono },
  {
    name: 'Hono on HTTP/2',
    path: MOUNT,
    options: basePath,
    mount: async (bff) => hono(bff, { createServer: http2.createSecureServer, serverOptions: await tls() }),
  },
]

export interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly headers: http2.IncomingHttpHeaders
  readonly text: string
}

export interface Host extends AsyncDisposable {
  readonly bff: AnyBff
  readonly upstream: Emulator
  readonly events: BffEvent[]
  readonly server: Server
  /** As browsers write it. */
  readonly origin: string
  /** Sends the gate's header, and no header that says from where. `relative` is below the mount. */
  ask(relative: string, options?: Ask): Promise<Answer>
}

async function askHttp1(origin: string, path: string, { body, ...init }: Ask): Promise<Answer> {
  const send = origin.startsWith('https') ? requestTls : request
  const sent = send(origin + path, { agent: false, rejectUnauthorized: false, ...init })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) }
}

async function askHttp2(
  origin: string,
  path: string,
  { method = 'GET', headers, body, signal }: Ask,
): Promise<Answer> {
  const session = http2.connect(origin, { rejectUnauthorized: false })
  try {
    const stream = session.request(
      { ':method': method, ':path': path, ...headers },
      { ...(signal && { signal }) },
    )
    stream.end(body)
    const [received] = (await once(stream, 'response')) as [
      http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader,
    ]
    return { status: received[':status'] ?? 0, headers: received, text: await textOf(stream) }
  } finally {
    session.destroy()
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** A BFF on an emulator, in a host. */
export async function startHost(
  kind: HostKind,
  options: Partial<BffOptions<AnyRequest>> = {},
): Promise<Host> {
  const upstream = await createEmulator()
  const events: BffEvent[] = []
  const bff = createBff<AnyRequest>({
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    meetings: { baseUrl: upstream.meetingsUrl },
    authorize: (req) => ({
      user: headerOf(req, 'x-user') ?? 'ada',
      meetings: { credential: upstream.meetingsCredential },
    }),
    onEvent: (event) => events.push(event),
    logger: false,
    ...kind.options,
    ...options,
  })
  const server = await kind.mount(bff)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', (socket: { destroy(): unknown }) => sockets.add(socket))
  const isHttp2 = kind.name.endsWith('2')
  const isTls = isHttp2 || kind.name.endsWith('https')
  const origin = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`
  return {
    bff,
    upstream,
    events,
    server,
    origin,
    ask: (relative, { headers, ...rest } = {}) => {
      const init = {
        ...rest,
        headers: { 'x-stagepass': '1', 'content-type': 'application/json', ...headers },
      }
      return (isHttp2 ? askHttp2 : askHttp1)(origin, kind.path + relative, init)
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await bff.close()
      await new Promise((resolve) => server.close(resolve))
      await upstream.close()
    },
  }
}
