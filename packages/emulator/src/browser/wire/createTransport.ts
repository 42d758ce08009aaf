import {
  type HandshakeListener,
  type HandshakeRequest,
  type ServiceRequest,
  type ServiceResponse,
  type Transport,
  TransportError,
} from '@stagepass/contract'
import type { EmulatorCore } from '../../core/EmulatorCore.js'
import { encodeUtf8, utf8Length } from '../../core/platform/bytes.js'
import type { EncodedResponse } from '../../core/request/http.js'
import { createClosing } from './closing.js'
import type { RunLater } from './createTasks.js'
import type { Wire } from './createWire.js'

export interface TransportOptions {
  readonly core: EmulatorCore
  /** Where the service is; it has no other address. */
  readonly origin: string
  readonly isClosed: () => boolean
  readonly runLater: RunLater
  readonly wire: Wire
}

/**
 * The way from a BFF in the page to the core. Every step to the other side is a later task, as over a
 * network.
 */
export function createTransport(options: TransportOptions): Transport {
  const { core, origin, isClosed, runLater } = options
  const isThere = (asked: string): boolean => asked === origin && !isClosed()

  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(new TransportError('aborted', false, signal.reason))
        if (!isThere(request.origin))
          return reject(new TransportError('unreachable', false, notHere(request)))
        runLater(() => {
          if (signal.aborted) return reject(new TransportError('aborted', false, signal.reason))
          sendToCore(request, signal, options).then(resolve, reject)
        })
      }),

    handshake(request, listener) {
      if (!isThere(request.origin)) {
        listener.onError(notHere(request))
        return () => {}
      }
      return shakeHands(request, listener, core)
    },

    close: () => Promise.resolve(),
  }
}

const notHere = ({ origin }: { readonly origin: string }): Error =>
  new Error(`Failed to send a request: the emulator in the page has no server at ${origin}.`)

const dropped = (): Error => new Error('The connection was dropped.')

function sendToCore(
  { method, origin, path, headers, body = '', maxBytes }: ServiceRequest,
  signal: AbortSignal,
  { core, wire }: TransportOptions,
): Promise<ServiceResponse> {
  const id = wire.nextId()
  wire.emit({ type: 'request', id, from: 'bff', method, url: origin + path, headers, body })
  const bytes = encodeUtf8(body)
  const closing = createClosing()

  return new Promise((resolve, reject) => {
    const fail = (kind: TransportError['kind'], cause?: unknown): void => {
      if (closing.isClosed()) return
      closing.close(false)
      wire.emit({ type: 'failed', id, reason: kind === 'aborted' ? 'aborted' : 'dropped' })
      reject(new TransportError(kind, true, cause))
    }
    const abort = (): void => fail('aborted', signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    closing.onClose(() => signal.removeEventListener('abort', abort))

    const receive = (status: number, sent: Readonly<Record<string, string>>, text: string): void => {
      closing.close(true)
      wire.emit({ type: 'response', id, status, headers: sent, body: text })
      resolve({ status, text, date: sent['date'], retryAfter: sent['retry-after'] })
    }

    core.handleRequest({
      method,
      target: path,
      headers: { host: new URL(origin).host, ...headers },
      connection: {
        onClose: closing.onClose,
        respond(response) {
          const sent = checkedHeaders(response)
          const given = response.body
          // It is read until the BFF gives up.
          if (given.type === 'endless') return
          if (given.type === 'part') return fail('unreachable', dropped())
          const length = given.type === 'text' ? utf8Length(given.text) : given.count
          if (length > maxBytes) return fail('too-large')
          receive(response.status, sent, given.type === 'text' ? given.text : `${' '.repeat(given.count)}{}`)
        },
        destroy: () => fail('unreachable', dropped()),
      },
      readBody: (limitBytes, done) => done(bytes.length > limitBytes ? undefined : bytes),
    })
  })
}

/** The headers as text. Throws for a head that HTTP cannot send, before anything is sent. */
function checkedHeaders({ status, headers }: EncodedResponse): Readonly<Record<string, string>> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  void new Response(null, { status, headers: sent })
  return sent
}

function shakeHands(
  { path, authorization }: HandshakeRequest,
  listener: HandshakeListener,
  core: EmulatorCore,
): () => void {
  const closing = createClosing()
  let isOpen = false
  const end = (complete: boolean): void => {
    isOpen = false
    closing.close(complete)
  }
  const lose = (): void => {
    const wasOpen = isOpen
    end(false)
    if (wasOpen) listener.onClose(1006, '')
    else listener.onError(dropped())
  }

  core.handleUpgrade({
    method: 'GET',
    target: path,
    headers: { authorization, upgrade: 'websocket', connection: 'Upgrade' },
    connection: {
      onClose: closing.onClose,
      respond({ status, body }) {
        if (closing.isClosed()) return
        end(true)
        listener.onRefused(status)
        listener.onBody(body.type === 'text' ? body.text : '')
      },
      destroy: () => closing.isClosed() || lose(),
    },
    accept(listen) {
      if (closing.isClosed()) return
      isOpen = true
      listener.onOpen()
      const service = listen({
        isOpen: () => isOpen,
        send(data) {
          if (isOpen && typeof data === 'string') listener.onText(data)
        },
        close(code = 1005, reason = '') {
          if (!isOpen) return
          end(true)
          listener.onClose(code, reason)
        },
        reset: lose,
        terminate: lose,
        freeze: () => undefined,
      })
      if (closing.isClosed()) service?.closed()
      else closing.onClose(() => service?.closed())
    },
    // It never gets further than the beginning of a response.
    breakOff: (done) => done(),
  })
  return () => closing.isClosed() || end(true)
}
