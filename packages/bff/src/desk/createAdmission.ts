import type { BffRouteName } from '@stagepass/contract'
import type { Accounts } from '../accounts/createAccounts.js'
import { BFF_ERRORS } from '@stagepass/contract'
import { BffError } from '../base/BffError.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { InFlight } from '../request/createInFlight.js'
import type { LimitName, Limits } from '../usage/createLimits.js'
import type { Caller } from './Caller.js'

/** The limit of the user for which every request counts, also a refused one, by its route. */
const LIMIT_OF = {
  'session-token': 'tokensPerMinute',
  'handshake-check': 'tokensPerMinute',
  meetings: 'meetingsPerMinute',
  meeting: 'meetingsPerMinute',
  tags: 'meetingsPerMinute',
  request: 'meetingsPerMinute',
  usage: 'meetingsPerMinute',
  'usage-report': 'meetingsPerMinute',
  vitals: 'vitalsPerMinute',
  session: 'sessionsPerMinute',
  'session-renewal': 'sessionsPerMinute',
  'session-release': 'sessionsPerMinute',
  /** A request for something that does not exist. */
  unknown: 'meetingsPerMinute',
} as const satisfies Record<BffRouteName | 'request' | 'unknown', LimitName>

interface AdmissionOptions {
  readonly accounts: Accounts
  readonly limits: Limits
  readonly hold: InFlight['hold']
  readonly isClosing: () => boolean
}

/**
 * The only way to a `Caller`, in two steps, because the grant is looked up between them. Both are before
 * everything that can refuse the request for its contents: a look-up has a cost too.
 */
export function createAdmission({ accounts, limits, hold, isClosing }: AdmissionOptions) {
  /** Throws ENDED_BY_SERVER if the account was forgotten with the key that it has. */
  async function checkKey({ context, grant, account }: Caller, operation: keyof typeof LIMIT_OF) {
    context.stage = 'secret'
    try {
      await account.checkKey(grant.apiKey, context.signal)
    } catch (error) {
      if (!(error instanceof BffError) || operation !== 'session-renewal') throw error
      // Of a renewal only this status ends an open stream.
      throw error.code === 'ENDED_BY_SERVER'
        ? new BffError(error.code, { ...error.details, status: BFF_ERRORS[error.code].renewalStatus })
        : error
    }
  }

  /** Counts the request. Rejects with RATE_LIMITED, or with ENDED_BY_SERVER if the account was forgotten. */
  async function admit(
    context: RequestContext,
    grant: CheckedGrant,
    operation: keyof typeof LIMIT_OF,
  ): Promise<Caller> {
    context.identify(grant)
    const print = accounts.of(grant).account.printOf(grant.apiKey)
    const isSuspect = await limits.count(LIMIT_OF[operation], grant, context, print)
    // Again: it may have been dropped meanwhile.
    const caller = { context, grant, ...accounts.of(grant) } as Caller // the mark is only a type
    // What a token has used belongs on the last bill.
    if (isSuspect && operation !== 'usage-report') await checkKey(caller, operation)
    // The event of a failure is that of its reader.
    else void hold(caller.account.learnKey(grant.apiKey)).catch(() => undefined)
    context.isAdmitted = true
    return caller
  }

  /** Begins a request that needs a grant. Throws SHUTTING_DOWN after `close`. */
  return (context: RequestContext) => {
    if (isClosing()) throw new BffError('SHUTTING_DOWN')
    return (grant: CheckedGrant, operation: keyof typeof LIMIT_OF) => admit(context, grant, operation)
  }
}
