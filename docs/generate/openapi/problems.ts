import { BFF_ERRORS, type BffErrorCode, codesOf } from '@stagepass/contract'

/** Routes behind the gate, with their names in the BFF's events. */
export type RouteName =
  'session-token' | 'meetings' | 'meeting' | 'tags' | 'handshake-check' | 'usage' | 'usage-report'

const TOKEN_ROUTES = ['session-token', 'handshake-check'] as const
const USAGE_ROUTES = ['usage', 'usage-report'] as const
/** These routes read a secret and send a request to the service. */
const SERVICE_ROUTES = ['session-token', 'handshake-check', 'meetings', 'meeting', 'tags'] as const
const BODY_ROUTES = [...TOKEN_ROUTES, 'usage-report'] as const
const MEETINGS_ROUTES = ['meetings', 'meeting', 'tags'] as const

/** The routes that send a code. Any route can send a code that is not listed here. */
const ONLY_FROM: Partial<Record<BffErrorCode, readonly RouteName[]>> = {
  AUTH_HEADER_MISSING: ['session-token'],
  AUTH_API_KEY_INVALID: ['session-token'],
  AUTH_API_KEY_EXPIRED: ['session-token'],
  AUTH_NO_LICENSE: ['session-token'],
  PRODUCT_NOT_ALLOWED: ['session-token'],
  PAYMENT_PAST_DUE: ['session-token'],
  BALANCE_EXHAUSTED: ['session-token'],
  SPEND_CAP_REACHED: ['session-token'],
  USAGE_LIMIT_EXCEEDED: ['session-token'],
  VT_USAGE_LIMIT_EXCEEDED: ['session-token'],
  CACHE_UNAVAILABLE: ['session-token'],
  SERVICE_UNAVAILABLE: ['session-token'],
  MEETING_PROCESSING: MEETINGS_ROUTES,
  MEETINGS_CREDENTIAL_REJECTED: MEETINGS_ROUTES,
  USAGE_EXHAUSTED: ['session-token'],
  USAGE_UNAVAILABLE: ['session-token', ...USAGE_ROUTES],
  UPSTREAM_RATE_LIMITED: SERVICE_ROUTES,
  UPSTREAM_ERROR: SERVICE_ROUTES,
  UPSTREAM_TIMEOUT: SERVICE_ROUTES,
  UPSTREAM_UNREACHABLE: SERVICE_ROUTES,
  UPSTREAM_MALFORMED: SERVICE_ROUTES,
  SECRET_UNAVAILABLE: SERVICE_ROUTES,
  BUDGET_EXHAUSTED: MEETINGS_ROUTES,
  NOT_FOUND: MEETINGS_ROUTES,
  UNSUPPORTED_MEDIA_TYPE: BODY_ROUTES,
  PAYLOAD_TOO_LARGE: BODY_ROUTES,
  REQUEST_TIMEOUT: BODY_ROUTES,
}

/**
 * The codes that a route can send, by their status, lowest first. Without 405, because a wrong method is
 * another operation.
 */
export function problemsOf(route: RouteName): ReadonlyMap<number, readonly BffErrorCode[]> {
  const byStatus = new Map<number, BffErrorCode[]>()
  for (const code of codesOf(BFF_ERRORS)) {
    if (code === 'METHOD_NOT_ALLOWED' || !(ONLY_FROM[code]?.includes(route) ?? true)) continue
    const { status } = BFF_ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return new Map([...byStatus].toSorted(([one], [other]) => one - other))
}
