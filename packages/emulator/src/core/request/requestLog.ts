import type { Endpoint, Query, RequestHeaders } from './http.js'

/** One request as the emulator received it, handshakes included. */
export interface RecordedRequest {
  readonly method: string
  /** Without the query, as it came. */
  readonly path: string
  readonly query: Query
  /** With lower-case names. Credentials are in it: this is a test's view. */
  readonly headers: RequestHeaders
  /** The JSON value, the text if it is not JSON, `undefined` if there was none (or it was not read). */
  readonly body: unknown
  /** `null` before the response begins. It stays `null` if a fault drops the request. 101 for an upgrade. */
  readonly status: number | null
  /** The client left before it had the whole response. */
  readonly aborted: boolean
  /** When it came, by the emulator's clock, in milliseconds since the epoch. */
  readonly at: number
}

/** A record that still changes. */
export type RequestRecord = { -readonly [TField in keyof RecordedRequest]: RecordedRequest[TField] }

/**
 * How many requests each endpoint received since the start or the last reset, with or without a response.
 * Counting has no bound.
 */
export type Counts = Record<Endpoint | 'unknown', number>

const NO_REQUESTS: Counts = { token: 0, handshake: 0, list: 0, meeting: 0, tags: 0, unknown: 0 }

/** How many requests are kept. The oldest are dropped. */
const KEPT_REQUESTS = 10_000

export type RequestLog = ReturnType<typeof createRequestLog>

export function createRequestLog(enabled: boolean, onRequest: (request: RecordedRequest) => void) {
  let kept: RequestRecord[] = []
  const counts = { ...NO_REQUESTS }
  return {
    counts,
    get requests(): readonly RecordedRequest[] {
      return kept.slice(-KEPT_REQUESTS)
    },
    record(request: RequestRecord): RequestRecord {
      if (enabled) {
        kept.push(request)
        // In bulk: removing one at each request would move ten thousand.
        if (kept.length >= 2 * KEPT_REQUESTS) kept = kept.slice(-KEPT_REQUESTS)
      }
      return request
    },
    /** The response has begun. */
    responded(record: RequestRecord, status: number): void {
      record.status = status
      onRequest(record)
    },
    reset(): void {
      kept = []
      Object.assign(counts, NO_REQUESTS)
    },
  }
}
