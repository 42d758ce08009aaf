import type { Endpoint, Query, RequestHeaders } from './http.js'

/** One request as the emulator received it. Handshakes are requests too. */
export interface RecordedRequest {
  readonly method: string
  /** The path without the query, as it arrived. */
  readonly path: string
  readonly query: Query
  /** Names are in lower case. Credentials are included, because this is only for tests. */
  readonly headers: RequestHeaders
  /** The JSON value, the text if it is not JSON, or `undefined` if there was no body or it was not read. */
  readonly body: unknown
  /** `null` before the response begins. It stays `null` if a fault drops the request. 101 for an upgrade. */
  readonly status: number | null
  /** True if the client left before it had received the whole response. */
  readonly aborted: boolean
  /** Time of arrival by the emulator's clock, in milliseconds since the epoch. */
  readonly at: number
}

/** A record that still changes. */
export type RequestRecord = { -readonly [TField in keyof RecordedRequest]: RecordedRequest[TField] }

/**
 * Number of requests to each endpoint since the start or the last reset, with or without a response. There is
 * no upper limit.
 */
export type Counts = Record<Endpoint | 'unknown', number>

const NO_REQUESTS: Counts = { token: 0, handshake: 0, list: 0, meeting: 0, tags: 0, unknown: 0 }

/** Maximum number of requests that are kept. The oldest are dropped. */
const KEPT_REQUESTS = 10_000

export type RequestLog = ReturnType<typeof createRequestLog>

export function createRequestLog(onRequest: (request: RecordedRequest) => void) {
  let kept: RequestRecord[] = []
  const counts = { ...NO_REQUESTS }
  return {
    counts,
    get requests(): readonly RecordedRequest[] {
      return kept.slice(-KEPT_REQUESTS)
    },
    record(request: RequestRecord): RequestRecord {
      kept.push(request)
      // Removed in bulk, because removing one for each request would move ten thousand items each time.
      if (kept.length >= 2 * KEPT_REQUESTS) kept = kept.slice(-KEPT_REQUESTS)
      return request
    },
    /** Called when the response begins. */
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
