import { wellFormed } from '@stagepass/contract'
import { MAX_REASON_BYTES } from '../core/request/failure.js'
import { utf8Length } from '../core/platform/bytes.js'
import { type ClientSocket, connect, LOST, type Message } from './connect.js'
import type { Service } from './Service.js'

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3

/**
 * A page's `WebSocket`, with its errors. `PageSocket.browser.test.ts` compares it with the browser's own.
 * MSW's (`@mswjs/interceptors`) is not suitable: it replaces the global class, which Node 20 does not have,
 * and it opens, sends and closes in the next microtask, so a page would never see a slow connection.
 */
abstract class PageSocket extends EventTarget {
  declare static readonly CONNECTING: 0
  declare static readonly OPEN: 1
  declare static readonly CLOSING: 2
  declare static readonly CLOSED: 3
  declare readonly CONNECTING: 0
  declare readonly OPEN: 1
  declare readonly CLOSING: 2
  declare readonly CLOSED: 3
  onopen: WebSocket['onopen'] = null
  onmessage: WebSocket['onmessage'] = null
  onerror: WebSocket['onerror'] = null
  onclose: WebSocket['onclose'] = null
  binaryType: BinaryType = 'blob'
  readonly protocol = ''
  readonly extensions = ''

  readonly #url: string
  #state: 0 | 1 | 2 | 3 = CONNECTING
  #bufferedAmount = 0
  readonly #service: Service
  readonly #id: number
  readonly #origin: string
  readonly #connection: ClientSocket
  /** Keeps messages in order, even if the bytes of a Blob are read later. */
  #sending: Promise<void> = Promise.resolve()

  constructor(service: Service, given: string | URL, protocols: string | readonly string[]) {
    super()
    const url = parseUrl(String(given))
    const offered = [protocols].flat()
    this.#url = url.href
    this.#origin = url.origin
    this.#service = service
    this.#id = service.wire.nextId()

    const { wire } = service
    const socket = this.#id
    wire.emit({ type: 'handshake', socket, url: this.#url })
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
        if (offered.length > 0) {
          // The service agrees to no subprotocol, and then the browser closes the connection.
          this.#connection.abandon()
          return this.#fail()
        }
        wire.emit({ type: 'opened', socket })
        this.#state = OPEN
        this.#dispatch(this.onopen, new Event('open'))
      },
      refused: ({ status }) => {
        wire.emit({ type: 'refused', socket, status })
        this.#fail()
      },
      received: (message) => this.#received(message),
      sent: (message) => {
        wire.emit({ type: 'message', socket, from: 'page', data: message })
        this.#bufferedAmount -= sizeOf(message)
      },
      closed: (code, reason) => {
        // If an open connection is lost, the browser reports only the close.
        if (this.#state === CONNECTING) this.#fail()
        else this.#closed(code, reason)
      },
    })
  }

  get url(): string {
    return this.#url
  }

  get readyState(): 0 | 1 | 2 | 3 {
    return this.#state
  }

  get bufferedAmount(): number {
    return this.#bufferedAmount
  }

  send(data: string | BufferSource | Blob): void {
    const message = messageOf(data)
    if (this.#state === CONNECTING)
      throw new DOMException(
        "Failed to execute 'send' on 'WebSocket': Still in CONNECTING state.",
        'InvalidStateError',
      )
    this.#bufferedAmount += sizeOf(message)
    if (this.#state !== OPEN) return
    this.#sending = this.#sending.then(async () =>
      this.#connection.send(message instanceof Blob ? new Uint8Array(await message.arrayBuffer()) : message),
    )
  }

  close(code?: number, reason = ''): void {
    checkClose(code, reason)
    if (this.#state >= CLOSING) return
    const wasOpen = this.#state === OPEN
    this.#state = CLOSING
    if (wasOpen) {
      this.#sending = this.#sending.then(() => this.#connection.close(code, reason))
    } else {
      this.#connection.abandon()
      this.#service.runLater(() => this.#fail())
    }
  }

  #received(message: Message): void {
    this.#service.wire.emit({ type: 'message', socket: this.#id, from: 'service', data: message })
    if (this.#state !== OPEN) return
    const data = typeof message === 'string' ? message : this.#wrap(message.slice())
    this.#dispatch(this.onmessage, new MessageEvent('message', { data, origin: this.#origin }))
  }

  #wrap(bytes: Uint8Array<ArrayBuffer>): Blob | ArrayBuffer {
    return this.binaryType === 'blob' ? new Blob([bytes]) : bytes.buffer
  }

  /** The end of a handshake that did not open the WebSocket. */
  #fail(): void {
    this.#state = CLOSED
    this.#dispatch(this.onerror, new Event('error'))
    this.#closed(LOST, '')
  }

  #closed(code: number, reason: string): void {
    this.#service.wire.emit({ type: 'closed', socket: this.#id, code, reason })
    this.#state = CLOSED
    this.#dispatch(this.onclose, closeEvent({ code, reason, wasClean: code !== LOST }))
  }

  /** The handler, such as `onopen`, is called after the listeners. */
  #dispatch<TEvent extends Event>(
    handler: ((this: WebSocket, event: TEvent) => unknown) | null,
    event: TEvent,
  ) {
    this.dispatchEvent(event)
    handler?.call(this, event)
  }
}

// Not in a static block of the class: the preset of React Native knows none.
for (const [name, value] of Object.entries({ CONNECTING, OPEN, CLOSING, CLOSED }))
  for (const target of [PageSocket, PageSocket.prototype])
    Object.defineProperty(target, name, { value, enumerable: true })

/**
 * Returns the address with `ws:` or `wss:` in place of `http:` or `https:`. Throws a SyntaxError if it is not
 * one of a WebSocket.
 */
function parseUrl(given: string): URL {
  // A worker has no document, and Node has neither.
  const { document } = globalThis as { readonly document?: { readonly baseURI: string } }
  try {
    const url = new URL(given, document?.baseURI ?? globalThis.location?.href)
    url.protocol = url.protocol.replace(/^http/, 'ws')
    if (/^wss?:$/.test(url.protocol) && !url.href.includes('#')) return url
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

/**
 * Copies bytes, because the caller may change them afterwards. No `instanceof ArrayBuffer`: under Jest the buffer
 * of an `Int16Array` is of another realm.
 */
function messageOf(data: string | BufferSource | Blob): Message | Blob {
  if (typeof data === 'string') return wellFormed(data)
  if (data instanceof Blob) return data
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
  return new Uint8Array(data).slice()
}

function sizeOf(message: Message | Blob): number {
  if (typeof message === 'string') return utf8Length(message)
  return message instanceof Blob ? message.size : message.length
}

/** Creates the browser's own event, which Node 20 and 22 do not have. */
function closeEvent(facts: Required<Pick<CloseEventInit, 'code' | 'reason' | 'wasClean'>>): CloseEvent {
  if (typeof CloseEvent === 'function') return new CloseEvent('close', facts)
  return Object.assign(new Event('close'), facts)
}

/** Creates a `WebSocket` class that connects to this service. */
export function createSocketClass(service: Service): typeof WebSocket {
  return class WebSocket extends PageSocket {
    constructor(url: string | URL, protocols: string | readonly string[] = []) {
      super(service, url, protocols)
    }
  }
}
