import { type BffErrorCode, mapUpstreamFailure, type UpstreamFailure } from '@stagepass/contract'
import { Problem } from './Problem.js'

/** What the in-page BFF knows of the voice service. */
export interface Service {
  readonly fetch: typeof globalThis.fetch
  readonly baseUrl: string
  readonly streamingUrl: string
  readonly meetingsUrl: string
  /** Not a secret: it opens this emulator and nothing else. */
  readonly apiKey: string
}

export interface ServiceRequest {
  readonly surface: UpstreamFailure['surface']
  readonly url: string
  readonly authorization: string
  /** Sent as JSON by POST. Without it the request is a GET. */
  readonly json?: object | undefined
  /** The part of the page's request that a 400 is about. */
  readonly field: string
  readonly signal: AbortSignal | undefined
}

/** Errors with a wait, and how long it is if the service does not say. */
const DEFAULT_WAIT_MS: Partial<Record<BffErrorCode, number>> = {
  CACHE_UNAVAILABLE: 1_000,
  MEETING_PROCESSING: 5_000,
  UPSTREAM_RATE_LIMITED: 1_000,
}

/** The JSON of a 2xx, and the service's time. Throws a `Problem` for any other response. */
export async function askService(
  service: Service,
  { surface, url, authorization, json, field, signal }: ServiceRequest,
): Promise<{ readonly body: unknown; readonly nowMs: number }> {
  const { status, headers, text } = await send(service, url, {
    method: json ? 'POST' : 'GET',
    headers: {
      accept: 'application/json',
      authorization,
      ...(json && { 'content-type': 'application/json' }),
    },
    ...(json && { body: JSON.stringify(json) }),
    ...(signal && { signal }),
  })
  const body = parse(text)
  if (status >= 200 && status < 300) {
    if (body === undefined) throw new Problem('UPSTREAM_MALFORMED')
    return { body, nowMs: Date.parse(headers.get('date') ?? '') }
  }
  const errorCode = isRecord(body) && typeof body['error_code'] === 'string' ? body['error_code'] : undefined
  const { code, retryable } = mapUpstreamFailure({ surface, status, errorCode })
  const seconds = headers.get('retry-after')
  throw new Problem(code, {
    retryable,
    retryAfterMs:
      DEFAULT_WAIT_MS[code] && (seconds === null ? DEFAULT_WAIT_MS[code] : 1_000 * Number(seconds)),
    field: code === 'VALIDATION_ERROR' ? field : undefined,
    reqId: reqIdOf(body),
  })
}

async function send(service: Service, url: string, init: RequestInit) {
  let response: Response
  try {
    response = await service.fetch(url, init)
  } catch (thrown) {
    throw lostOr(thrown, init.signal, 'UPSTREAM_UNREACHABLE')
  }
  try {
    return { status: response.status, headers: response.headers, text: await response.text() }
  } catch (thrown) {
    throw lostOr(thrown, init.signal, 'UPSTREAM_UNREACHABLE')
  }
}

/** A request that the page has aborted ends with the page's reason. */
function lostOr(thrown: unknown, signal: AbortSignal | null | undefined, code: BffErrorCode): unknown {
  return signal?.aborted ? thrown : new Problem(code)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function reqIdOf(body: unknown): string | undefined {
  const id = isRecord(body) ? body['req_id'] : undefined
  return typeof id === 'string' ? id : undefined
}
