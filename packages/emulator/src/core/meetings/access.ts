import { formatMeetingsError } from './formatMeetings.js'
import { Refused } from '../request/failure.js'
import type { HttpRequest } from '../request/http.js'
import { parseAuthorization } from '../request/parseRequest.js'
import { createLimiter, type Limiter, type LimiterKind } from './limiter.js'
import type { Store } from '../store/store.js'

interface AccessOptions {
  readonly store: Store
  readonly limiter: LimiterKind
  readonly limiterCountsRefused: boolean
  /** If true, a 429 has a Retry-After. */
  readonly retryAfter: boolean
}

export type MeetingsAccess = ReturnType<typeof createMeetingsAccess>

/**
 * The checks before every operation of the meetings interface: the credential, its scope and the account's
 * rate limit.
 */
export function createMeetingsAccess(options: AccessOptions) {
  const { store, limiter, limiterCountsRefused, retryAfter } = options
  const limiters = new Map<string, Limiter>()

  const limiterOf = (account: string): Limiter => {
    const known = limiters.get(account) ?? createLimiter(limiter, limiterCountsRefused)
    limiters.set(account, known)
    return known
  }

  return {
    /** Returns the key holder. Throws `Refused`. */
    enter({ headers, nowMs }: HttpRequest): string {
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
    reset: (): void => limiters.clear(),
  }
}
