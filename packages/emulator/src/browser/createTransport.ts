import {
  type ServiceRequest,
  type ServiceResponse,
  stripBom,
  type Transport,
  TransportError,
} from '@stagepass/contract'
import { encodeUtf8, utf8Length } from '../core/platform/bytes.js'
import type { EncodedResponse } from '../core/request/http.js'
import { createClosing } from './createClosing.js'
import { connect } from './connect.js'
import { isServed, type Service } from './Service.js'

/**
 * The transport from a BFF in the page to the service. Every step to the other side is a later task, as in a
 * network.
 */
export function createTransport(service: Service): Transport {
  const { clock } = service.core.handle
  // All requests seem to share one connection, which is idle between them.
  let endedAtMs: number | undefined
  const send = async (request: ServiceRequest, signal: AbortSignal): Promise<ServiceResponse> => {
    const idleMs = request.fresh || endedAtMs === undefined ? undefined : clock.now() - endedAtMs
    const response = await sendToCore(request, signal, service, idleMs)
    endedAtMs = clock.now()
    return response
  }

  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(new TransportError('aborted', false, false, signal.reason))
        if (signal.aborted) return abort()
        if (!isServed(service, new URL(request.origin).host))
          return reject(new TransportError('unreachable', false, false, notHere(request)))
        service.runLater(() => {
          if (signal.aborted) abort()
          else send(request, signal).then(resolve, reject)
        })
      }),

    handshake({ origin, path, authorization }, listener) {
      let isOpen = false
      const { host } = new URL(origin)
      const connection = connect(
        service,
        { host, target: path, headers: { authorization } },
        {
          opened() {
            isOpen = true
            listener.onOpen()
          },
          refused({ status, body }) {
            listener.onRefused(status)
            listener.onBody(body.type === 'text' ? body.text : '')
          },
          received(message) {
            if (typeof message === 'string') listener.onText(message)
          },
          sent: () => undefined,
          closed(code, reason) {
            if (isOpen) listener.onClose(code, reason)
            else listener.onError(isServed(service, host) ? dropped() : notHere({ origin }))
          },
        },
      )
      return () => connection.abandon()
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
  { core, wire }: Service,
  idleMs: number | undefined,
): Promise<ServiceResponse> {
  const id = wire.nextId()
  wire.emit({ type: 'request', id, from: 'bff', method, url: origin + path, headers, body })
  const bytes = encodeUtf8(body)
  const closing = createClosing()

  return new Promise((resolve, reject) => {
    const fail = (kind: TransportError['kind'], answered: boolean, cause?: unknown): void => {
      if (closing.isClosed()) return
      closing.close(false)
      wire.emit({ type: 'failed', id, reason: kind === 'aborted' ? 'aborted' : 'dropped' })
      reject(new TransportError(kind, true, answered, cause))
    }
    const abort = (): void => fail('aborted', false, signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    closing.onClose(() => signal.removeEventListener('abort', abort))

    const receive = (status: number, sent: Readonly<Record<string, string>>, text: string): void => {
      closing.close(true)
      wire.emit({ type: 'response', id, status, headers: sent, body: text })
      resolve({
        status,
        // As `fetch` does. It also decodes, and here nothing was encoded.
        text: stripBom(text),
        date: sent['date'],
        retryAfter: sent['retry-after'],
        contentType: sent['content-type'],
        location: sent['location'],
      })
    }

    core.handleRequest({
      method,
      target: path,
      headers: { host: new URL(origin).host, ...headers },
      connection: {
        idleMs,
        onClose: closing.onClose,
        respond(response) {
          const sent = checkedHeaders(response)
          const given = response.body
          // It never ends: the BFF reads it until it aborts.
          if (given.type === 'endless') return
          if (given.type === 'part') return fail('unreachable', true, dropped())
          const length = given.type === 'text' ? utf8Length(given.text) : given.count
          if (length > maxBytes) return fail('too-large', true)
          receive(response.status, sent, given.type === 'text' ? given.text : `${' '.repeat(given.count)}{}`)
        },
        destroy: () => fail('unreachable', false, dropped()),
      },
      readBody: (limitBytes, done) => done(bytes.length > limitBytes ? undefined : bytes),
    })
  })
}

/** Returns the headers as text. If HTTP cannot send the head, throws before anything is sent. */
function checkedHeaders({ status, headers }: EncodedResponse): Readonly<Record<string, string>> {
  const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  void new Response(null, { status, headers: sent })
  return sent
}
