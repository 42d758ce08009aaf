import type { BffRouteName } from '@stagepass/contract'
import type { Accounts } from '../accounts/createAccounts.js'
import { BffError } from '../base/BffError.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { CountRequest, LimitName } from '../usage/createLimits.js'
import type { Caller } from './Caller.js'

/** The limit of the user for which every request counts, also a refused one, by its route. */
const LIMIT_OF = {
  'session-token': 'tokensPerMinute',
  'handshake-check': 'tokensPerMinute',
  meetings: 'meetingsPerMinute',
  meeting: 'meetingsPerMinute',
  tags: 'meetingsPerMinute',
  usage: 'meetingsPerMinute',
  'usage-report': 'meetingsPerMinute',
  vitals: 'vitalsPerMinute',
  session: 'sessionsPerMinute',
  'session-renewal': 'sessionsPerMinute',
  'session-release': 'sessionsPerMinute',
  /** A request for something that does not exist. */
  unknown: 'meetingsPerMinute',
} as const satisfies Record<BffRouteName | 'unknown', LimitName>

interface AdmissionOptions {
  readonly accounts: Accounts
  readonly countRequest: CountRequest
  readonly isClosing: () => boolean
}

/**
 * The only way to a `Caller`, in two steps, because the grant is looked up between them. Both are before
 * everything that can refuse the request for its contents: a look-up has a cost too.
 */
export function createAdmission({ accounts, countRequest, isClosing }: AdmissionOptions) {
  /** Counts the request. Rejects with RATE_LIMITED. */
  async function admit(
    context: RequestContext,
    grant: CheckedGrant,
    operation: keyof typeof LIMIT_OF,
  ): Promise<Caller> {
    context.identify(grant)
    const found = accounts.of(grant)
    await countRequest(LIMIT_OF[operation], grant, context)
    return { context, grant, ...found } as Caller // the mark is only a type
  }

  /** Begins a request that needs a grant. Throws SHUTTING_DOWN after `close`. */
  return (context: RequestContext) => {
    if (isClosing()) throw new BffError('SHUTTING_DOWN')
    return (grant: CheckedGrant, operation: keyof typeof LIMIT_OF) => admit(context, grant, operation)
  }
}
