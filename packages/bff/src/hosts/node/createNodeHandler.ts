import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import {
  type IncomingBody,
  type IncomingRequest,
  MAX_TOKEN_BODY_BYTES,
} from '../../front/http/IncomingRequest.js'
import type { OutgoingResponse } from '../../front/http/OutgoingResponse.js'
import { nodeBody } from './nodeBody.js'
import { nodeOrigin } from './nodeOrigin.js'
import { joinVary } from '../joinVary.js'

type NodeResponse = ServerResponse | Http2ServerResponse

/** A middleware function for Express and Connect, and a request listener for `node:http` and `node:http2`. */
export type NodeHandler<TRequest> = (
  req: TRequest,
  res: NodeResponse,
  next?: (error?: unknown) => void,
) => void

/** `handle` resolves with `undefined` if no response is to be sent. */
export function createNodeHandler<TRequest>(
  handle: (request: IncomingRequest) => Promise<OutgoingResponse | undefined>,
): NodeHandler<TRequest> {
  /** Connections that end after a response. */
  const ended = new WeakSet<object>()
  const onHangUp = createHangUps()

  const serve = async (req: IncomingMessage, given: NodeResponse): Promise<void> => {
    // The next requests were sent before the client knew. They must not be run. (RFC 9112, 9.6.)
    if (ended.has(req.socket)) return
    // The cast: only methods that the responses of HTTP/1 and HTTP/2 share are used.
    const res = given as ServerResponse
    const response = await handle(new NodeRequest(req, res, onHangUp))
    // No I/O happens between the end of `handle` and this line, so the response is still wanted.
    if (response && send(req, res, response)) ended.add(req.socket)
  }
  // The cast: every host on Node passes an `IncomingMessage` or its HTTP/2 version, with more properties.
  // Only `authorize` reads those.
  return (req, res, next) =>
    void serve(req as unknown as IncomingMessage, res).catch(next ?? (() => res.destroy()))
}

/**
 * Time for which a connection with an unread body stays open after the response. If it closed at once, the
 * client might not read the response.
 */
const LINGER_MS = 1_000

/** Returns true if the connection ends after the response. */
function send(req: IncomingMessage, res: ServerResponse, response: OutgoingResponse): boolean {
  const { status, body, closeConnection } = response
  const headers: OutgoingHttpHeaders = response.headers
  // A 204 must have none. (RFC 9110, 8.6.)
  if (status !== 204) headers['Content-Length'] = Buffer.byteLength(body)
  if (req.httpVersionMajor >= 2) {
    res.writeHead(status, headers)
    // Otherwise HTTP/2 would wait for the rest of the body.
    if (!req.complete) res.once('finish', () => (res as unknown as Http2ServerResponse).stream.close())
    res.end(body)
    return false
  }
  const isRefused = isLongBodyLeft(req)
  const isLast = closeConnection || isRefused
  if (isLast) headers['Connection'] = 'close'
  res.writeHead(status, headers)
  if (!isRefused) {
    res.end(body)
    return isLast
  }
  // Never call `end`, because it would read the rest of the body, and the requests after it. The response is
  // complete without it, because its length is in a header.
  res.write(body)
  const { socket } = req
  socket.pause()
  const timer = setTimeout(() => socket.destroySoon(), LINGER_MS)
  res.once('close', () => clearTimeout(timer))
  return true
}

/**
 * True if the unread body is longer than any body that the BFF accepts. It is not read: reading 20 MB would
 * cost as much as a thousand requests.
 */
function isLongBodyLeft(req: IncomingMessage): boolean {
  if (req.complete) return false
  const length = req.headers['content-length']
  return length === undefined
    ? req.headers['transfer-encoding'] !== undefined
    : Number(length) > MAX_TOKEN_BODY_BYTES
}

type OnHangUp = ReturnType<typeof createHangUps>

/**
 * Calls a listener when a connection closes. Each connection has one listener of its own, however many of its
 * requests wait.
 */
function createHangUps() {
  const waiting = new WeakMap<Socket, Set<() => void>>()
  return (socket: Socket, listener: () => void): (() => void) => {
    const all = waiting.get(socket) ?? new Set<() => void>()
    if (!waiting.has(socket)) {
      waiting.set(socket, all)
      socket.once('close', () => all.forEach((each) => each()))
    }
    all.add(listener)
    return () => void all.delete(listener)
  }
}

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/

class NodeRequest implements IncomingRequest {
  readonly hostRequest: IncomingMessage & { readonly originalUrl?: unknown }
  readonly method: string
  /** Express and Connect remove the mount path from it. */
  readonly url: string
  // Read once, because property access on an Express request is slow.
  readonly #headers: IncomingHttpHeaders
  readonly #res: ServerResponse
  readonly #onHangUp: OnHangUp

  constructor(req: IncomingMessage, res: ServerResponse, onHangUp: OnHangUp) {
    this.hostRequest = req
    this.method = req.method ?? 'GET'
    this.url = req.url ?? '/'
    this.#headers = req.headers
    this.#res = res
    this.#onHangUp = onHangUp
  }

  /** Hosts that remove the mount path keep the whole path in `originalUrl`. */
  get urlFromRoot(): string {
    const { originalUrl } = this.hostRequest
    return typeof originalUrl === 'string' ? originalUrl : this.url
  }

  header(name: string): string | undefined {
    const value = this.#headers[name]
    return typeof value === 'string' ? value : undefined
  }

  ownOrigin(): string | undefined {
    return nodeOrigin(this.hostRequest)
  }

  isOnLoopback(): boolean {
    const { remoteAddress = '', localAddress = '' } = this.hostRequest.socket
    return LOOPBACK.test(remoteAddress) && LOOPBACK.test(localAddress)
  }

  body(): IncomingBody {
    return nodeBody(this.hostRequest)
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers))
      this.#res.setHeader(name, name === 'Vary' ? joinVary(this.#res.getHeader('Vary'), value) : value)
  }

  isAnswered(): boolean {
    return this.#res.headersSent
  }

  onClose(listener: () => void): void {
    const res = this.#res
    // Uses the response's `close` event. The request's event comes too early: as soon as a body parser has
    // read the body. The response's event also follows each complete response.
    const onClose = (): void => {
      if (!res.writableEnded) listener()
    }
    // An HTTP/2 response has no `closed`.
    if (res.closed ?? this.hostRequest.destroyed) return onClose()
    res.on('close', onClose)
    // A response that waits for the one of an earlier request has no socket yet, and gets no event.
    if (res.socket === null) res.once('finish', this.#onHangUp(this.hostRequest.socket, onClose))
  }
}
