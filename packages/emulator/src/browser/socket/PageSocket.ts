import { readCloseCode, readCloseReason, readProtocols, readUrl } from './readArguments.js'
import type { Dial, Message, ServiceEnd } from './ends.js'
import { HandlerSlots } from './HandlerSlots.js'

const CONNECTING = 0
const OPEN = 1
const CLOSING = 2
const CLOSED = 3

type Sendable = string | ArrayBufferLike | ArrayBufferView | Blob

/**
 * The interface `WebSocket` of a page over any connection. `PageSocket.browser.test.ts` compares it with the
 * browser's own. (WHATWG WebSockets.) MSW's (`@mswjs/interceptors`) would not do: it replaces the global
 * class, which Node 20 does not have, and it opens, sends and closes in the next microtask, where a page
 * would never see a connection that is slow.
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

  readonly extensions: string = ''
  readonly url: string
  readonly #origin: string
  readonly #service: ServiceEnd
  readonly #slots = new HandlerSlots(this)
  #state: 0 | 1 | 2 | 3 = CONNECTING
  #protocol = ''
  #binaryType: BinaryType = 'blob'
  #bufferedAmount = 0
  #wasOpen = false

  constructor(dial: Dial, url: string | URL, protocols: string | readonly string[] = []) {
    super()
    const address = readUrl(url)
    const offered = readProtocols(protocols)
    this.url = address.href
    this.#origin = address.origin
    this.#service = dial(address, offered, {
      opened: (protocol) => this.#opened(protocol),
      received: (message) => this.#received(message),
      closed: (code, reason) => {
        if (this.#state !== CLOSED) this.#closed(code, reason, true)
      },
      lost: () => this.#lost(),
    })
  }

  get readyState(): 0 | 1 | 2 | 3 {
    return this.#state
  }
  get protocol(): string {
    return this.#protocol
  }
  get bufferedAmount(): number {
    return this.#bufferedAmount
  }
  get binaryType(): BinaryType {
    return this.#binaryType
  }
  set binaryType(type: BinaryType) {
    if (type === 'blob' || type === 'arraybuffer') this.#binaryType = type
  }
  get [Symbol.toStringTag](): string {
    return 'WebSocket'
  }

  get onopen(): WebSocket['onopen'] {
    return this.#slots.get('open')
  }
  set onopen(handler: WebSocket['onopen']) {
    this.#slots.set('open', handler)
  }
  get onmessage(): WebSocket['onmessage'] {
    return this.#slots.get('message')
  }
  set onmessage(handler: WebSocket['onmessage']) {
    this.#slots.set('message', handler)
  }
  get onerror(): WebSocket['onerror'] {
    return this.#slots.get('error')
  }
  set onerror(handler: WebSocket['onerror']) {
    this.#slots.set('error', handler)
  }
  get onclose(): WebSocket['onclose'] {
    return this.#slots.get('close')
  }
  set onclose(handler: WebSocket['onclose']) {
    this.#slots.set('close', handler)
  }

  send(data: Sendable): void {
    if (this.#state === CONNECTING)
      throw new DOMException(
        "Failed to execute 'send' on 'WebSocket': Still in CONNECTING state.",
        'InvalidStateError',
      )
    const { message, size } = toMessage(data)
    this.#bufferedAmount += size
    if (this.#state !== OPEN) return
    this.#service.send(message, () => {
      this.#bufferedAmount -= size
    })
  }

  close(code?: number, reason?: string): void {
    const checked = readCloseCode(code)
    const said = readCloseReason(reason)
    if (this.#state >= CLOSING) return
    const before = this.#state
    this.#state = CLOSING
    if (before === CONNECTING) this.#service.abandon()
    // A reason needs a code in front of it.
    else this.#service.close(checked ?? (said === '' ? undefined : 1_000), said)
  }

  #opened(protocol: string): void {
    if (this.#state !== CONNECTING) return
    this.#state = OPEN
    this.#wasOpen = true
    this.#protocol = protocol
    this.dispatchEvent(new Event('open'))
  }

  #received(message: Message): void {
    if (this.#state !== OPEN) return
    const data = typeof message === 'string' ? message : this.#wrap(message)
    this.dispatchEvent(new MessageEvent('message', { data, origin: this.#origin }))
  }

  #wrap(bytes: Uint8Array): Blob | ArrayBuffer {
    const copy = bytes.slice()
    return this.#binaryType === 'blob' ? new Blob([copy]) : copy.buffer
  }

  #lost(): void {
    if (this.#state === CLOSED) return
    this.#state = CLOSED
    // If a connection that was open is lost, the browser reports the close alone.
    if (!this.#wasOpen) this.dispatchEvent(new Event('error'))
    this.#closed(1006, '', false)
  }

  #closed(code: number, reason: string, wasClean: boolean): void {
    this.#state = CLOSED
    this.dispatchEvent(closeEvent({ code, reason, wasClean }))
  }
}

/** A copy of what was given: the caller may change its bytes afterwards. */
function toMessage(data: Sendable): { message: Message | Promise<Message>; size: number } {
  if (data instanceof Blob) {
    const message = data.arrayBuffer().then((buffer) => new Uint8Array(buffer))
    return { message, size: data.size }
  }
  if (ArrayBuffer.isView(data)) {
    const message = new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
    return { message, size: message.length }
  }
  if (typeof data === 'object' && data !== null && 'byteLength' in data) {
    const message = new Uint8Array(data).slice()
    return { message, size: message.length }
  }
  const bytes = new TextEncoder().encode(data)
  // A half of a surrogate pair arrives as U+FFFD.
  const message = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return { message, size: bytes.length }
}

/** The browser's own event; Node 20 and 22 have none. */
function closeEvent(facts: Required<Pick<CloseEventInit, 'code' | 'reason' | 'wasClean'>>): Event {
  if (typeof CloseEvent === 'function') return new CloseEvent('close', facts)
  return Object.assign(new Event('close'), facts)
}

/** A `WebSocket` class whose connections `dial` opens. */
export function createSocketClass(dial: Dial): typeof WebSocket {
  return class WebSocket extends PageSocket {
    constructor(url: string | URL, protocols?: string | readonly string[]) {
      super(dial, url, protocols)
    }
  }
}
