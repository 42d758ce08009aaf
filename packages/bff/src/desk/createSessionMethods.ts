import type { Accounts } from '../accounts/createAccounts.js'
import type { AccountSessions, OpenSession } from '../accounts/AccountSessions.js'
import { accountName, objectOf, check } from '../base/schema.js'
import { emitterOf } from '../telemetry/emitterOf.js'
import type { EmitEvent } from '../telemetry/events.js'
import { z } from 'zod'

/** Whose sessions `bff.end` ends. */
export type EndTarget =
  /** A user, as in the grant: without an `account`, of the common one. */
  | { readonly user: string; readonly account?: string | undefined }
  /** All users of an account. `null`: of the common one. */
  | { readonly account: string | null }
  /** One session: `id` of `bff.sessions`. */
  | { readonly id: string }

/** Options of `bff.end`. */
export interface EndOptions {
  /** A text for the user, at most 200 characters. The page gets it as `reason`. */
  readonly reason?: string | undefined
  /** Time without a new session or token, in milliseconds, up to a day. Default a minute. */
  readonly untilMs?: number | undefined
}

/** Which sessions `bff.sessions` lists. */
export interface SessionsFilter {
  /** Only those of this user. */
  readonly user?: string | undefined
  /** As in the grant. Default: the common account. */
  readonly account?: string | undefined
}

/** The methods of a BFF that shares sessions. */
export interface SessionMethods {
  /**
   * Who has a session open now: all of an account, in all instances. Needs the option `sessions`. Rejects if
   * Redis does not respond.
   */
  sessions(filter?: SessionsFilter): Promise<OpenSession[]>
  /**
   * Ends sessions in all instances: their pages close them within 10 s (in the background within a minute), and
   * get no token and no session for `untilMs`: all such requests that begin after it has resolved are refused
   * with ENDED_BY_SERVER. With an `id` only this session ends, and its user may begin another one. A manipulated
   * page can keep its socket until its token ends. Needs the option `sessions`. Rejects if Redis does not respond.
   */
  end(target: EndTarget, options?: EndOptions): Promise<void>
}

const DAY_MS = 86_400_000
const name = z.string('is not a text{seen}.').min(1, 'is empty.')
const account = accountName.optional()
const FilterSchema = objectOf({ user: name.optional(), account })
const TargetSchema = z.union(
  [objectOf({ user: name, account }), objectOf({ account: accountName.nullable() }), objectOf({ id: name })],
  'does not say whose sessions. Pass { user }, { account } (null: the common one) or { id }.',
)
const OptionsSchema = objectOf({
  reason: z.string('is not a text{seen}.').max(200, 'is longer than 200 characters.').optional(),
  untilMs: z
    .int('is not a whole number of milliseconds{seen}.')
    .min(0, 'is negative.')
    .max(DAY_MS, 'is longer than a day. Refuse the user in "authorize".')
    .default(60_000),
})

/** The common account, and all others by their names in grants. */
export function createSessionMethods(accounts: Pick<Accounts, 'find'>, emit: EmitEvent): SessionMethods {
  function sessionsOf(method: string, of: string | undefined): AccountSessions {
    const { sessions } = accounts.find(of)
    if (sessions) return sessions
    throw new TypeError(
      `Failed to call ${method}: the BFF does not share sessions. Set its option "sessions": {} if the number is not known.`,
    )
  }

  return {
    async sessions(filter = {}) {
      const { user, account: of } = checked('sessions', FilterSchema, filter)
      const sessions = sessionsOf('sessions', of)
      return sessions.list(user === undefined ? undefined : { user, account: of })
    },

    async end(target, options = {}) {
      const whose = checked('end', TargetSchema, target)
      const { reason, untilMs } = checked('end', OptionsSchema, options)
      const [id, ofId] = 'id' in whose ? whose.id.split('/').toReversed() : []
      const of = ('account' in whose ? whose.account : ofId) ?? undefined
      const user = 'user' in whose ? whose.user : undefined
      const sessions = sessionsOf('end', of)
      const part =
        user !== undefined ? { user: { user, account: of } } : id !== undefined ? { id } : undefined
      await sessions.end(part, untilMs, reason ?? '')
      emitterOf(of, emit)?.({ type: 'session.ended', by: 'host', user, id, reason, untilMs })
    },
  }
}

function checked<TSchema extends z.ZodType>(
  method: string,
  schema: TSchema,
  value: unknown,
): z.output<TSchema> {
  const { data, problem } = check(schema, value)
  if (!problem) return data
  const part = problem.path ? `"${problem.path}"` : 'the argument'
  throw new TypeError(`Failed to call ${method}: ${part} ${problem.message}`)
}
