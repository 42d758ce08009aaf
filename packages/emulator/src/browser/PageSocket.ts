import { MAX_REASON_BYTES } from '../core/request/failure.js'
import { utf8Length } from '../core/platform/bytes.js'
import { type ClientSocket, connect, LOST, type Message } from './connect.js'
import type { Service } from './Service.js'

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3

/**
 * The part of a page's `WebSocket` that applications use. `PageSocket.browser.test.ts` compares it with the
 * browser's own. MSW's (`@mswjs/interceptors`) is not suitable: it replaces the global class, which Node 20
 * does not have, and it opens, sends and closes in the next microtask, so a page would never see a slow
 * connection.
 */
abstract class PageSocket extends EventTarget {
  static readonly CONNECTING: 0 = CONNECTING
  static readonly OPEN: 1 = OPEN
  static readonly CLOSING: 2 = CLOSING
  static readonly CLOSED: 3 = CLOSED
  readonly CONNECTING: 0 = CONNECTING
  readonly OPEN: 1 = OPEN
  readonly CLOSING: 2 = CLOSING
  readonly CLOSED: 3 = CLOSED

  readonly url: string
  readonly extensions: string = ''
  protocol = ''
  readyState: 0 | 1 | 2 | 3 = CONNECTING
  bufferedAmount = 0
  binaryType: BinaryType = 'blob'
  onopen: WebSocket['onopen'] = null
  onmessage: WebSocket['onmessage'] = null
  onerror: WebSocket['onerror'] = null
  onclose: WebSocket['onclose'] = null

  readonly #service: Service
  readonly #id: number
  readonly #origin: string
  readonly #connection: ClientSocket
  /** Keeps messages in order, even if the bytes of a Blob are read later. */
  #sending: Promise<void> = Promise.resolve()

  constructor(service: Service, given: string | URL, protocols: string | readonly string[] = []) {
    super()
    const url = parseUrl(given)
    const offered = [protocols].flat()
    this.url = url.href
    this.#origin = url.origin
    this.#service = service
    this.#id = service.wire.nextId()
    this.addEventListener('open', (event) => this.onopen?.call(this, event))
    this.addEventListener('message', (event) => this.onmessage?.call(this, event as MessageEvent))
    this.addEventListener('error', (event) => this.onerror?.call(this, event))
    this.addEventListener('close', (event) => this.onclose?.call(this, event as CloseEvent))

    const { wire } = service
    const socket = this.#id
    wire.emit({ type: 'handshake', socket, url: this.url })
    const handshake = {
      host: url.host,
      target: url.pathname + url.search,
      headers: {
        origin: globalThis.location?.origin,
        'sec-websocket-version': '13',
        ...(offered.length > 0 && { 'sec-websocket-protocol': offered.join(', ') }),
      },
    }
    this.#connection = connect(service, handshake, {
      opened: () => {
        wire.emit({ type: 'opened', socket })
        this.readyState = OPEN
        this.protocol = offered[0] ?? ''
        this.dispatchEvent(new Event('open'))
      },
      refused: ({ status }) => {
        wire.emit({ type: 'refused', socket, status })
        this.#fail()
      },
      received: (message) => this.#received(message),
      sent: (message) => {
        wire.emit({ type: 'message', socket, from: 'page', data: message })
        this.bufferedAmount -= sizeOf(message)
      },
      closed: (code, reason) => {
        // If an open connection is lost, the browser reports only the close.
        if (this.readyState === CONNECTING) this.#fail()
        else this.#closed(code, reason)
      },
    })
  }

  send(data: string | ArrayBufferLike | ArrayBufferView | Blob): void {
    if (this.readyState === CONNECTING)
      throw new DOMException(
        "Failed to execute 'send' on 'WebSocket': Still in CONNECTING state.",
        'InvalidStateError',
      )
    const message = data instanceof Blob ? data : copyOf(data)
    this.bufferedAmount += sizeOf(message)
    if (this.readyState !== OPEN) return
    this.#sending = this.#sending.then(async () =>
      this.#connection.send(message instanceof Blob ? new Uint8Array(await message.arrayBuffer()) : message),
    )
  }

  close(code?: number, reason = ''): void {
    checkClose(code, reason)
    if (this.readyState >= CLOSING) return
    const wasOpen = this.readyState === OPEN
    this.readyState = CLOSING
    if (wasOpen) {
      // A reason cannot be sent without a code.
      const sent = code ?? (reason === '' ? undefined : 1_000)
      this.#sending = this.#sending.then(() => this.#connection.close(sent, reason))
    } else {
      this.#connection.abandon()
      this.#service.runLater(() => this.#fail())
    }
  }

  #received(message: Message): void {
    this.#service.wire.emit({ type: 'message', socket: this.#id, from: 'service', data: message })
    if (this.readyState !== OPEN) return
    const data = typeof message === 'string' ? message : this.#wrap(message.slice())
    this.dispatchEvent(new MessageEvent('message', { data, origin: this.#origin }))
  }

  #wrap(bytes: Uint8Array<ArrayBuffer>): Blob | ArrayBuffer {
    return this.binaryType === 'blob' ? new Blob([bytes]) : bytes.buffer
  }

  /** The end of a handshake that did not open the WebSocket. */
  #fail(): void {
    this.readyState = CLOSED
    this.dispatchEvent(new Event('error'))
    this.#closed(LOST, '')
  }

  #closed(code: number, reason: string): void {
    this.#service.wire.emit({ type: 'closed', socket: this.#id, code, reason })
    this.readyState = CLOSED
    this.dispatchEvent(closeEvent({ code, reason, wasClean: code !== LOST }))
  }
}

/** Throws a SyntaxError if the address is not one of a WebSocket. */
function parseUrl(given: string | URL): URL {
  try {
    const url = new URL(given, globalThis.location?.href)
    if (/^wss?:$/.test(url.protocol)) return url
  } catch {
    // The address is refused below.
  }
  throw new DOMException(`Failed to construct 'WebSocket': The URL '${given}' is invalid.`, 'SyntaxError')
}

/** Throws if a page may not send this code, or if the reason is too long. */
function checkClose(code: number | undefined, reason: string): void {
  const act = "Failed to execute 'close' on 'WebSocket'"
  if (code !== undefined && code !== 1_000 && !(code >= 3_000 && code <= 4_999))
    throw new DOMException(
      `${act}: The close code must be 1000, or between 3000 and 4999. ${code} is neither.`,
      'InvalidAccessError',
    )
  if (utf8Length(reason) > MAX_REASON_BYTES)
    throw new DOMException(
      `${act}: The close reason must not be greater than ${MAX_REASON_BYTES} UTF-8 bytes.`,
      'SyntaxError',
    )
}

/** Copies the data, because the caller may change the bytes afterwards. */
function copyOf(data: string | ArrayBufferLike | ArrayBufferView): Message {
  if (typeof data === 'string') return data
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
  return new Uint8Array(data).slice()
}

function sizeOf(message: Message | Blob): number {
  if (typeof message === 'string') return utf8Length(message)
  return message instanceof Blob ? message.size : message.length
}

/** Creates the browser's own event, which Node 20 and 22 do not have. */
function closeEvent(facts: Required<Pick<CloseEventInit, 'code' | 'reason' | 'wasClean'>>): Event {
  if (typeof CloseEvent === 'function') return new CloseEvent('close', facts)
  return Object.assign(new Event('close'), facts)
}

/** Creates a `WebSocket` class that connects to this service. */
export function createSocketClass(service: Service): typeof WebSocket {
  return class WebSocket extends PageSocket {
    constructor(url: string | URL, protocols?: string | readonly string[]) {
      super(service, url, protocols)
    }
  }
}
