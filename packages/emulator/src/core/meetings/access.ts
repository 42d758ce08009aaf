import { formatMeetingsError } from './formatMeetingsError.js'
import { Refused } from '../request/failure.js'
import type { HttpRequest } from '../request/http.js'
import { parseAuthorization } from '../request/parseAuthorization.js'
import { createLimiter, type Limiter, type LimiterKind } from './limiter.js'
import type { Store } from '../store/store.js'

interface AccessOptions {
  readonly store: Store
  readonly limiter: LimiterKind
  readonly limiterCountsRefused: boolean
  /** Does a 429 carry Retry-After? */
  readonly retryAfter: boolean
}

/** Checks before every operation of the meetings interface: the credential, its scope, the account's rate limit. */
export interface MeetingsAccess {
  /** The key holder. Throws `Refused`. */
  enter(request: HttpRequest): string
  reset(): void
}

export function createMeetingsAccess(options: AccessOptions): MeetingsAccess {
  const { store, limiter, limiterCountsRefused, retryAfter } = options
  const limiters = new Map<string, Limiter>()

  const limiterOf = (account: string): Limiter => {
    const known = limiters.get(account) ?? createLimiter(limiter, limiterCountsRefused)
    limiters.set(account, known)
    return known
  }

  return {
    enter({ headers, nowMs }) {
      const credential = parseAuthorization(headers.authorization ?? '', 'bearer')
      const row = credential === undefined ? undefined : store.credentials.get(credential)
      if (!row) throw new Refused(formatMeetingsError('CREDENTIAL_INVALID'))
      if (!row.scopes.includes('read')) throw new Refused(formatMeetingsError('SCOPE_MISSING'))

      const waitMs = limiterOf(row.account).take(nowMs)
      if (waitMs === undefined) return row.holder
      const response = formatMeetingsError('RATE_LIMIT_EXCEEDED')
      const seconds = { 'retry-after': String(Math.ceil(waitMs / 1_000)) }
      throw new Refused(retryAfter ? { ...response, headers: seconds } : response)
    },
    reset: () => limiters.clear(),
  }
}
