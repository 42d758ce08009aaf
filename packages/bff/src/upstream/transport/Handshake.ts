import { createHash, randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import type { HandshakeListener } from '@stagepass/contract'
import type { Dispatcher } from 'undici/index.js'
import { decode } from './decode.js'
import { readFrames } from './readFrames.js'

/** Reads at most this much of a refusal's body. */
const MAX_REFUSAL_BYTES = 4_096

/** The value that a WebSocket server must compute from the key. (RFC 6455, section 4.2.2.) */
const acceptOf = (key: string): string =>
  createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

export type Controller = Pick<Dispatcher.DispatchController, 'abort'>
export type Headers = Readonly<Record<string, string | string[] | undefined>>

/** A handler of undici for one upgrade request. It passes the events to the listener. */
export class Handshake implements Dispatcher.DispatchHandler {
  /** Headers that the request must have. */
  readonly headers: Readonly<Record<string, string>>
  readonly #accept: string
  readonly #listener: HandshakeListener
  #controller: Controller | undefined
  #socket: Duplex | undefined
  #ended = false
  #status: number | undefined
  #encoding = ''
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(listener: HandshakeListener) {
    const key = randomBytes(16).toString('base64')
    this.headers = { 'sec-websocket-key': key, 'sec-websocket-version': '13' }
    this.#accept = acceptOf(key)
    this.#listener = listener
  }

  end(): void {
    this.#ended = true
    this.#controller?.abort(new Error('cancelled'))
    this.#socket?.destroy()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#ended) controller.abort(new Error('cancelled'))
  }

  onRequestUpgrade(_: unknown, _status: number, headers: Headers, socket: Duplex): void {
    // A socket that is closed during a read emits an error.
    socket.on('error', () => undefined)
    if (this.#ended) return void socket.destroy()
    this.#socket = socket
    if (headers['sec-websocket-accept'] !== this.#accept) {
      this.onResponseStart(_, 101)
      return this.onResponseEnd()
    }
    this.#listener.onOpen()
    readFrames(socket, {
      onText: (text) => this.#ended || this.#listener.onText(text),
      onClose: (code, reason) => this.#ended || this.#listener.onClose(code, reason),
    })
  }

  onResponseStart(_: unknown, status: number, headers: Headers = {}): void {
    if (this.#ended) return
    this.#status = status
    this.#encoding = String(headers['content-encoding'] ?? '')
    this.#listener.onRefused(status)
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes > MAX_REFUSAL_BYTES) this.onResponseEnd()
  }

  onResponseEnd(): void {
    if (this.#ended) return
    this.end()
    const body = Buffer.concat(this.#chunks)
    if (this.#encoding === '' || this.#bytes === 0) return this.#listener.onBody(body.toString('utf8'))
    void decode(body, this.#encoding, MAX_REFUSAL_BYTES).then((decoded) =>
      this.#listener.onBody(typeof decoded === 'string' ? '' : decoded.toString('utf8')),
    )
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#ended) return
    // If the body breaks off, use the part that arrived.
    if (this.#status !== undefined) return this.onResponseEnd()
    this.#ended = true
    this.#listener.onError(error)
  }
}
