import type { GrantAccounts } from '../accounts/createAccounts.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import type { RequestContext } from '../request/RequestContext.js'

declare const ADMITTED: unique symbol

/** A user with one request that is counted. Only `createAdmission` makes one, so no request skips a limit. */
export interface Caller extends GrantAccounts {
  readonly [ADMITTED]: true
  readonly context: RequestContext
  readonly grant: CheckedGrant
}
