import { wellFormed } from '@stagepass/contract'
import { MAX_REASON_BYTES } from '../core/request/failure.js'
import { utf8Length } from '../core/platform/bytes.js'
import { defineHandlers } from './defineHandlers.js'
import { type ClientSocket, connect, LOST, type Message } from './connect.js'
import type { Service } from './Service.js'

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3

/**
 * A page's `WebSocket`, with its conversions and errors. `PageSocket.browser.test.ts` and
 * `PageSocketTypes.browser.test.ts` compare it with the browser's own. MSW's (`@mswjs/interceptors`) is not
 * suitable: it replaces the global class, which Node 20 does not have, and it opens, sends and closes in the
 * next microtask, so a page would never see a slow connection.
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
  declare onopen: WebSocket['onopen']
  declare onmessage: WebSocket['onmessage']
  declare onerror: WebSocket['onerror']
  declare onclose: WebSocket['onclose']

  readonly #url: string
  #state: 0 | 1 | 2 | 3 = CONNECTING
  #bufferedAmount = 0
  #binaryType: BinaryType = 'blob'
  readonly #service: Service
  readonly #id: number
  readonly #origin: string
  readonly #connection: ClientSocket
  /** Keeps messages in order, even if the bytes of a Blob are read later. */
  #sending: Promise<void> = Promise.resolve()

  constructor(service: Service, given: unknown, protocols?: unknown) {
    super()
    const url = parseUrl(text(given))
    const offered = protocolsOf(protocols)
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
        this.dispatchEvent(new Event('open'))
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

  get protocol(): string {
    return ''
  }

  get extensions(): string {
    return ''
  }

  get binaryType(): BinaryType {
    return this.#binaryType
  }

  set binaryType(given: unknown) {
    const type = text(given)
    if (type === 'blob' || type === 'arraybuffer') this.#binaryType = type
  }

  get [Symbol.toStringTag](): string {
    return 'WebSocket'
  }

  send(...given: [data?: unknown]): void {
    if (given.length === 0) throw missing("Failed to execute 'send' on 'WebSocket'")
    const message = messageOf(given[0])
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

  close(givenCode?: unknown, givenReason?: unknown): void {
    const code = codeOf(givenCode)
    const reason = givenReason === undefined ? '' : text(givenReason)
    // Chromium reads a missing code as 0 if there is a reason. Firefox drops the reason.
    checkClose(givenReason === undefined ? code : (code ?? 0), reason)
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
    this.dispatchEvent(new MessageEvent('message', { data, origin: this.#origin }))
  }

  #wrap(bytes: Uint8Array<ArrayBuffer>): Blob | ArrayBuffer {
    return this.#binaryType === 'blob' ? new Blob([bytes]) : bytes.buffer
  }

  /** The end of a handshake that did not open the WebSocket. */
  #fail(): void {
    this.#state = CLOSED
    this.dispatchEvent(new Event('error'))
    this.#closed(LOST, '')
  }

  #closed(code: number, reason: string): void {
    this.#service.wire.emit({ type: 'closed', socket: this.#id, code, reason })
    this.#state = CLOSED
    this.dispatchEvent(closeEvent({ code, reason, wasClean: code !== LOST }))
  }
}

// Not in a static block of the class: the preset of React Native knows none.
for (const [name, value] of Object.entries({ CONNECTING, OPEN, CLOSING, CLOSED }))
  for (const target of [PageSocket, PageSocket.prototype])
    Object.defineProperty(target, name, { value, enumerable: true })
defineHandlers(PageSocket.prototype, ['open', 'message', 'error', 'close'])

const missing = (act: string): TypeError => new TypeError(`${act}: 1 argument required, but only 0 present.`)

/** Converts a value to text as the browser does. Throws a TypeError for a symbol, which `String()` takes. */
const text = (value: unknown): string => wellFormed(''.concat(value as string))

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

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

/** A name of a subprotocol: a token of RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/

/** The subprotocols. Throws a SyntaxError if one is no token, or is there twice. */
function protocolsOf(given: unknown): string[] {
  if (given === undefined) return []
  const isList = isObject(given) && (given as Partial<Iterable<unknown>>)[Symbol.iterator] != null
  const offered = (isList ? [...(given as Iterable<unknown>)] : [given]).map(text)
  const wrong = offered.find((name, at) => !TOKEN.test(name) || offered.indexOf(name) !== at)
  if (wrong === undefined) return offered
  throw new DOMException(
    `Failed to construct 'WebSocket': The subprotocol '${wrong}' is invalid, or there twice.`,
    'SyntaxError',
  )
}

/** Converts a code of a close to an integer. Not by `Number()`, which takes a bigint. */
const codeOf = (given: unknown): number | undefined =>
  given === undefined ? undefined : Math.trunc(given as number)

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

/** The class of a value, also of one from another frame, which is no instance of this page's class. */
const classOf = (value: unknown): string => Object.prototype.toString.call(value).slice(8, -1)

/** Copies bytes, because the caller may change them afterwards. Any other value becomes text. */
function messageOf(data: unknown): Message | Blob {
  if (data instanceof Blob) return data
  const buffer = ArrayBuffer.isView(data) ? data.buffer : data
  if (classOf(buffer) === 'SharedArrayBuffer')
    throw new TypeError("Failed to execute 'send' on 'WebSocket': The bytes must not be shared.")
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
  if (classOf(data) !== 'ArrayBuffer') return text(data)
  const bytes = data as ArrayBuffer
  // A buffer that was transferred has no bytes.
  return bytes.byteLength === 0 ? new Uint8Array() : new Uint8Array(bytes).slice()
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
    constructor(...given: [url?: unknown, protocols?: unknown]) {
      if (given.length === 0) throw missing("Failed to construct 'WebSocket'")
      super(service, given[0], given[1])
    }
  }
}
