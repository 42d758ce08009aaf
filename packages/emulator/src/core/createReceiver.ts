import type { CoreParts } from './CoreParts.js'
import { utf8Length } from './platform/bytes.js'
import { formatFailure } from './request/failure.js'
import type { EncodedResponse, HttpResponse, Query } from './request/http.js'
import { parseSearch, splitTarget } from './request/parseRequest.js'
import type { RequestRecord } from './request/requestLog.js'
import type { Incoming } from './Transport.js'

/** A request or handshake between its arrival and its response. */
export interface Received {
  readonly path: string
  /** The query as it came. */
  readonly search: string
  readonly query: Query
  readonly record: RequestRecord
  respond(response: HttpResponse): void
  /** The first half of the response, then the connection is dropped. */
  respondHalf(response: HttpResponse): void
  respondEncoded(response: EncodedResponse): void
  /** Closes the connection. The record does not count it as aborted by the client. */
  drop(): void
}

/** Records what arrives, and its response. */
export function createReceiver({ clock, log, onError }: CoreParts): (incoming: Incoming) => Received {
  return ({ method, target, headers, connection }) => {
    const { path, search } = splitTarget(target)
    const query = parseSearch(search)
    const record = log.record({
      method,
      path,
      query,
      headers,
      body: undefined,
      status: null,
      aborted: false,
      at: clock.now(),
    })
    let dropped = false
    connection.onClose((complete) => {
      record.aborted = !dropped && !complete
    })

    const encode = (response: HttpResponse): EncodedResponse => encodeResponse(response, clock.now())

    /** A value that JSON cannot hold, or a head that HTTP cannot, becomes a 500. */
    const send = (make: () => EncodedResponse): void => {
      let response: EncodedResponse
      try {
        response = make()
        connection.respond(response)
      } catch (error) {
        onError(error)
        response = encode(formatFailure(error))
        connection.respond(response)
      }
      log.responded(record, response.status)
    }

    return {
      path,
      search,
      query,
      record,
      respond: (response) => send(() => encode(response)),
      respondHalf(response) {
        dropped = true
        send(() => cutInHalf(encode(response)))
      },
      respondEncoded: (response) => send(() => response),
      drop() {
        dropped = true
        connection.destroy()
      },
    }
  }
}

function cutInHalf(response: EncodedResponse): EncodedResponse {
  const { body } = response
  if (body.type !== 'text') return response
  return { ...response, body: { type: 'part', text: body.text.slice(0, body.text.length / 2) } }
}

/** `nowMs` is the emulator's time. Throws if the body is a value that JSON cannot hold. */
function encodeResponse({ status, body, headers }: HttpResponse, nowMs: number): EncodedResponse {
  const isText = typeof body === 'string'
  const text = body === undefined ? '' : isText ? body : JSON.stringify(body)
  return {
    status,
    headers: {
      date: new Date(nowMs).toUTCString(),
      'content-type': isText ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
      'content-length': utf8Length(text),
      ...headers,
    },
    body: { type: 'text', text },
  }
}
