import { formatMeetingsError } from './formatMeetingsError.js'
import type { HttpRequest, HttpResponse } from '../request/http.js'
import { parseAuthorization } from '../request/parseAuthorization.js'
import type { Limiter, LimiterKind } from './limiter.js'
import { createLimiter } from './limiter.js'
import type { Store } from '../store/store.js'

interface AccessOptions {
  readonly store: Store
  readonly limiter: LimiterKind
  readonly limiterCountsRefused: boolean
  /** Does a 429 carry Retry-After? */
  readonly retryAfter: boolean
}

export type Access =
  { readonly ok: true; readonly holder: string } | { readonly ok: false; readonly response: HttpResponse }

/** Checks before every operation of the meetings interface: the credential, its scope, the account's rate limit. */
export interface MeetingsAccess {
  enter(request: HttpRequest): Access
  reset(): void
}

export function createMeetingsAccess(options: AccessOptions): MeetingsAccess {
  const { store, limiter, limiterCountsRefused, retryAfter } = options
  const limiters = new Map<string, Limiter>()

  const limiterOf = (account: string): Limiter => {
    const known = limiters.get(account)
    if (known) return known
    const made = createLimiter(limiter, limiterCountsRefused)
    limiters.set(account, made)
    return made
  }

  return {
    enter({ headers, nowMs }) {
      const credential = parseAuthorization(headers.authorization ?? '', 'bearer')
      const row = credential === undefined ? undefined : store.credentials.get(credential)
      if (!row) return { ok: false, response: formatMeetingsError('CREDENTIAL_INVALID') }
      if (!row.scopes.includes('read')) return { ok: false, response: formatMeetingsError('SCOPE_MISSING') }

      const waitMs = limiterOf(row.account).take(nowMs)
      if (waitMs === undefined) return { ok: true, holder: row.holder }
      const response = formatMeetingsError('RATE_LIMIT_EXCEEDED')
      const headersOf429 = { 'retry-after': String(Math.ceil(waitMs / 1_000)) }
      return { ok: false, response: retryAfter ? { ...response, headers: headersOf429 } : response }
    },
    reset: () => limiters.clear(),
  }
}
