import type { IncomingHttpHeaders } from 'node:http'
import type { Query } from './http.js'

/** One request as the emulator got it, handshakes included. */
export interface RecordedRequest {
  readonly method: string
  /** Without the query, as it came. */
  readonly path: string
  readonly query: Query
  /** With lower-case names. Credentials are in it: this is a test's view. */
  readonly headers: IncomingHttpHeaders
  /** The JSON value, the text where it is not JSON, `undefined` where there was none (or it was not read). */
  readonly body: unknown
  /** `null` until an answer was begun, and for ever where a fault dropped it. 101 for an upgrade. */
  readonly status: number | null
  /** The client went away before it had the whole answer. */
  readonly aborted: boolean
  /** When it came, by the emulator's clock, in milliseconds since the epoch. */
  readonly at: number
}

export type OpenRecord = { -readonly [TField in keyof RecordedRequest]: RecordedRequest[TField] }

/** How many requests are remembered; the oldest go first. */
export const REMEMBERED_REQUESTS = 10_000

export interface RequestLog {
  readonly requests: readonly RecordedRequest[]
  record(request: OpenRecord): OpenRecord
  /** The answer has begun. */
  answered(record: OpenRecord, status: number): void
  reset(): void
}

export function createRequestLog(
  enabled: boolean,
  onRequest: (request: RecordedRequest) => void,
): RequestLog {
  let remembered: OpenRecord[] = []
  return {
    get requests() {
      return remembered.slice(-REMEMBERED_REQUESTS)
    },
    record(request) {
      if (enabled) {
        remembered.push(request)
        // In bulk: cutting one off at each request would move ten thousand.
        if (remembered.length >= 2 * REMEMBERED_REQUESTS) remembered = remembered.slice(-REMEMBERED_REQUESTS)
      }
      return request
    },
    answered(record, status) {
      record.status = status
      onRequest(record)
    },
    reset() {
      remembered = []
    },
  }
}
