import type { ResponseChanges } from './faults/faultQueue.js'
import type { EmulatorClock } from './platform/clock.js'
import { utf8Length } from './platform/bytes.js'
import type { Platform } from './platform/Platform.js'
import { formatFailure } from './request/failure.js'
import type { EncodedResponse, HttpResponse, Query } from './request/http.js'
import { parseSearch, splitTarget } from './request/parseRequest.js'
import type { RequestLog, RequestRecord } from './request/requestLog.js'
import type { Connection, Incoming } from './Transport.js'

/** A request or handshake between its arrival and its response. */
export interface Exchange {
  readonly path: string
  /** The query as it arrived. */
  readonly search: string
  readonly query: Query
  readonly record: RequestRecord
  /**
   * Runs the task after `ms` milliseconds, unless the connection closes before. Without a delay it runs at
   * once.
   */
  wait(ms: number, task: () => void): void
  /** Keeps a connection open that will not get a complete response. */
  hold(): void
  /** Changes the response that follows. */
  change(changes: ResponseChanges): void
  respond(response: HttpResponse): void
  /** Sends the first half of the response, then drops the connection. */
  respondHalf(response: HttpResponse): void
  respondEncoded(response: EncodedResponse): void
  /** Closes the connection. The record does not show this as aborted by the client. */
  drop(): void
}

interface ExchangesOptions {
  readonly clock: EmulatorClock
  readonly after: Platform['after']
  readonly log: RequestLog
  /** Called with the error if a response cannot be sent. */
  readonly onError: (error: unknown) => void
}

export type Exchanges = ReturnType<typeof createExchanges>

/** Records each request and its response. */
export function createExchanges({ clock, after, log, onError }: ExchangesOptions) {
  /** Connections that wait: delayed requests, requests that hang, endless bodies. */
  const held = new Set<Connection>()

  const open = ({ method, target, headers, connection }: Incoming): Exchange => {
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
    let changes: ResponseChanges = { coding: undefined, byteOrderMark: false, bigints: false }
    connection.onClose((complete) => {
      record.aborted = !dropped && !complete
    })

    const hold = (): void => {
      held.add(connection)
      connection.onClose(() => held.delete(connection))
    }
    const encode = (response: HttpResponse): EncodedResponse =>
      changed(encodeResponse(response, clock.now(), changes.bigints), changes)

    /** A value that JSON cannot represent, or a head that HTTP cannot send, becomes a 500. */
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
      hold,
      wait(ms, task) {
        if (ms <= 0) return task()
        hold()
        const cancel = after(ms, () => {
          held.delete(connection)
          task()
        })
        connection.onClose(cancel)
      },
      change(wanted) {
        changes = wanted
      },
      respond: (response) => send(() => encode(response)),
      respondHalf(response) {
        dropped = true
        send(() => cutInHalf(encode(response)))
      },
      respondEncoded: (response) => send(() => changed(response, changes)),
      drop() {
        dropped = true
        connection.destroy()
      },
    }
  }

  return {
    open,
    reset(): void {
      for (const connection of held) connection.destroy()
      held.clear()
    },
  }
}

const BYTE_ORDER_MARK = '\ufeff'

function changed(response: EncodedResponse, { coding, byteOrderMark }: ResponseChanges): EncodedResponse {
  const { headers, body } = response
  let result = response
  if (byteOrderMark && body.type === 'text') {
    const text = BYTE_ORDER_MARK + body.text
    const length = 'content-length' in headers && { 'content-length': utf8Length(text) }
    result = { ...result, headers: { ...headers, ...length }, body: { ...body, text } }
  }
  if (coding !== undefined && body.type !== 'endless') {
    const { 'content-length': _length, ...others } = result.headers
    result = { ...result, headers: { ...others, 'content-encoding': coding }, coding }
  }
  return result
}

function cutInHalf(response: EncodedResponse): EncodedResponse {
  const { body } = response
  if (body.type !== 'text') return response
  return {
    ...response,
    body: { type: 'part', text: body.text.slice(0, body.text.length / 2) },
    coding: undefined,
  }
}

/** Marks the digits of a `bigint` in JSON. */
const MARK = '\u0000bigint'

/** JSON, in which a `bigint` is a number with all its digits. */
function withDigits(body: unknown): string {
  const text = JSON.stringify(body, (_key, value: unknown) =>
    typeof value === 'bigint' ? MARK + String(value) : value,
  )
  return text.replaceAll(/"\\u0000bigint(-?\d+)"/g, '$1')
}

/** `nowMs` is the emulator's time. Throws if JSON cannot represent the body. */
function encodeResponse(
  { status, body, headers }: HttpResponse,
  nowMs: number,
  bigints = false,
): EncodedResponse {
  const isText = typeof body === 'string'
  const text = body === undefined ? '' : isText ? body : bigints ? withDigits(body) : JSON.stringify(body)
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
