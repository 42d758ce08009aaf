import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type RequestListener } from 'node:http'
import * as http2 from 'node:http2'
import { createServer as createTlsServer, request as requestTls } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { Readable } from 'node:stream'
import { createAdaptorServer } from '@hono/node-server'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import express from 'express'
import { Hono } from 'hono'
import { generate } from 'selfsigned'
import { type Bff as NodeBff, createBff as createNodeBff } from './node/createBff.js'
import { type Bff as FetchBff, createBff as createFetchBff } from './fetch/index.js'
import type { BffEvent, BffGauge, BffMethods, CommonOptions } from './types.js'

export type NodeRequest = IncomingMessage | http2.Http2ServerRequest
export type HostOptions = Partial<CommonOptions<NodeRequest | Request>>

const headerOf = ({ headers }: NodeRequest | Request, name: string): string | undefined => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === 'string' ? value : undefined
}

/** A third-party server with a BFF in it. */
export interface HostKind {
  readonly name: string
  /** False for a runtime that does not report that a client has left. */
  readonly noticesLeaving?: boolean
  start(options?: HostOptions): Promise<Host>
}

const listen = (listener: RequestListener): Server => createServer(listener)

const MOUNT = '/api/voice'
const basePath = { basePath: MOUNT }

/** A host that calls the middleware function. `path` is the prefix of the routes. */
export const nodeHost = (
  name: string,
  path: string,
  mount: (bff: NodeBff<NodeRequest>) => Server | Promise<Server>,
  own: HostOptions = {},
) => ({
  name,
  start: (options?: HostOptions) =>
    startServer(name, path, { ...own, ...options }, createNodeBff<NodeRequest>, mount),
})

/** A host that calls `fetch`. */
const fetchHost = (
  name: string,
  path: string,
  mount: (bff: FetchBff) => Server | Promise<Server>,
  own: HostOptions = {},
) => ({
  name,
  start: (options?: HostOptions) =>
    startServer(name, path, { ...own, ...options }, createFetchBff<Request>, mount),
})

/**
 * Hono on its own server, which turns Node's requests into those of the web. The adapter replaces the global
 * `Request` and `Response`, as it does for users. The next file of the worker must not find them.
 */
const hono = (bff: FetchBff, options: object = {}): Server => {
  const app = new Hono().all(`${MOUNT}/*`, (context) => bff.fetch(context.req.raw))
  const { Request, Response } = Object.getOwnPropertyDescriptors(globalThis)
  const server = createAdaptorServer({ fetch: app.fetch, ...options })
  return server.once('close', () => Object.defineProperties(globalThis, { Request, Response }))
}

/** A server that knows of the BFF only its `fetch`: the section "A host of your own" of docs/hosts.md. */
const ownHost = (bff: FetchBff): Server =>
  createServer((req, res) => {
    const { method = 'GET', headers } = req
    const client = new AbortController()
    res.once('close', () => client.abort())
    const init = { method, headers: headers as Record<string, string>, signal: client.signal }
    const body = method === 'GET' || method === 'HEAD' ? {} : { body: Readable.toWeb(req), duplex: 'half' }
    // The cast: the types of a page have no stream as a body.
    const request = new Request(`http://${headers.host}${req.url}`, { ...init, ...body } as RequestInit)
    void bff.fetch(request).then(async (response) => {
      res.statusCode = response.status
      res.setHeaders(response.headers)
      res.end(await response.text())
    })
  })

const certificate = generate([{ name: 'commonName', value: 'localhost' }], {
  keyType: 'ec',
  algorithm: 'sha256',
})
const tls = async () => {
  const { private: key, cert } = await certificate
  return { key, cert }
}

export const NODE = nodeHost('node:http', '', listen)
export const EXPRESS = nodeHost('Express', MOUNT, (bff) => listen(express().use(MOUNT, bff)))
export const HONO = fetchHost('Hono', MOUNT, hono, basePath)

/** Hosts on Node. Every host has the same tests. */
export const HOSTS = [
  NODE,
  nodeHost('node:http with basePath', MOUNT, listen, basePath),
  nodeHost('node:https', '', async (bff) => createTlsServer(await tls(), bff)),
  nodeHost('node:http2', '', async (bff) => http2.createSecureServer(await tls(), bff)),
  EXPRESS,
  nodeHost('Express behind express.json()', '', (bff) => listen(express().use(express.json(), bff))),
  nodeHost('Express with a mount and basePath', MOUNT, (bff) => listen(express().use(MOUNT, bff)), basePath),
  nodeHost(
    'Express with basePath in a router',
    MOUNT,
    (bff) => listen(express().use('/api', express.Router().use(bff))),
    basePath,
  ),
  HONO,
  fetchHost(
    'Hono on HTTP/2',
    MOUNT,
    async (bff) => hono(bff, { createServer: http2.createSecureServer, serverOptions: await tls() }),
    basePath,
  ),
  fetchHost('a host of your own', MOUNT, ownHost, basePath),
] as const

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
  readonly upstream: Emulator
  /** As browsers write it. */
  readonly origin: string
  /** Sends the gate's header, and no header about the origin. `relative` is the path below the mount path. */
  ask(relative: string, options?: Ask): Promise<Answer>
  readEvents(): Promise<readonly BffEvent[]>
  gauge(): Promise<BffGauge>
  /** Closes the BFF. */
  close(): Promise<void>
}

/** A host whose BFF is in this process. */
export interface LocalHost<TBff> extends Host {
  readonly bff: TBff
  readonly server: Server
  readonly events: BffEvent[]
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

/** The options of a BFF on an emulator. The header `x-user` names the user; `nobody` is none. */
function optionsOn(upstream: Emulator, onEvent: (event: BffEvent) => void) {
  return {
    apiKey: upstream.apiKey,
    baseUrl: upstream.baseUrl,
    streamingUrl: upstream.streamingUrl,
    meetings: { baseUrl: upstream.meetingsUrl },
    authorize(req: NodeRequest | Request) {
      const user = headerOf(req, 'x-user') ?? 'ada'
      return user === 'nobody' ? null : { user, meetings: { credential: upstream.meetingsCredential } }
    },
    onEvent,
    logger: false as const,
  }
}

/**
 * Sends a request to a server on loopback with the gate's header and, unlike a browser, without a header
 * about the origin.
 */
export const askAt =
  (origin: string, path: string, isHttp2 = false) =>
  (relative: string, { headers, ...rest }: Ask = {}): Promise<Answer> => {
    const init = {
      ...rest,
      headers: { 'x-stagepass': '1', 'content-type': 'application/json', ...headers },
    }
    return (isHttp2 ? askHttp2 : askHttp1)(origin, path + relative, init)
  }

async function startServer<TRequest extends NodeRequest | Request, TBff extends BffMethods>(
  name: string,
  path: string,
  own: HostOptions,
  createBff: (options: CommonOptions<TRequest>) => TBff,
  mount: (bff: TBff) => Server | Promise<Server>,
): Promise<LocalHost<TBff>> {
  const upstream = await createEmulator()
  const events: BffEvent[] = []
  const bff = createBff({ ...optionsOn(upstream, (event) => void events.push(event)), ...own })
  const server = await mount(bff)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const sockets = new Set<{ destroy(): unknown }>()
  server.on('connection', (socket: { destroy(): unknown }) => sockets.add(socket))
  const isHttp2 = name.endsWith('2')
  const isTls = isHttp2 || name.endsWith('https')
  const origin = `${isTls ? 'https' : 'http'}://127.0.0.1:${port}`
  return {
    bff,
    upstream,
    server,
    origin,
    ask: askAt(origin, path, isHttp2),
    events,
    readEvents: async () => events,
    gauge: async () => bff.gauge(),
    close: () => bff.close(),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await bff.close()
      await new Promise((resolve) => server.close(resolve))
      await upstream.close()
    },
  }
}
