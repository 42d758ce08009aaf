import {
  type Budget,
  type BudgetEvent,
  type BudgetGauge,
  createBudget,
  createSessions,
  type SessionsEvent,
  type SessionsGauge,
} from '@stagepass/budget'
import { MEETINGS_RATE } from '@stagepass/contract'
import { LRUCache } from 'lru-cache/raw'
import { BffError } from '../base/BffError.js'
import { createAlarm } from '../base/createAlarm.js'
import { atMost } from '../base/platform.js'
import type { Secret } from '../base/Secret.js'
import type { CheckedGrant } from '../grant/readGrant.js'
import type { InFlight } from '../request/createInFlight.js'
import type { Settings } from '../settings/readOptions.js'
import { emitterOf } from '../telemetry/emitterOf.js'
import type { EmitEvent, EmitOfAccount } from '../telemetry/events.js'
import type { GrantUser } from '../grant/userKey.js'
import type { KeyRegister } from '../usage/createKeyRegister.js'
import { Account } from './Account.js'
import { AccountSessions } from './AccountSessions.js'
import { createSecretReader } from './createSecretReader.js'
import { createSessionTexts } from './createSessionTexts.js'

type SecretGrant = Partial<Pick<CheckedGrant, 'account' | 'apiKey' | 'meetings' | 'sessions'>>

export type Accounts = ReturnType<typeof createAccounts>

/** The accounts of a grant. */
export interface GrantAccounts {
  /** Its key sends the token requests, and events name it. */
  readonly account: Account
  /** Its budget and pages are those of the lists. The same account, unless the grant names another one. */
  readonly meetingsAccount: Account
}

interface AccountsOptions {
  readonly settings: Settings
  readonly emit: EmitEvent
  readonly hold: InFlight['hold']
  /** Remembers a secret, so that it is removed from texts of others. */
  readonly note: (secret: string) => void
  /** The name of a user in the store. */
  readonly userName: (user: GrantUser) => string | Promise<string>
  readonly register: KeyRegister
  readonly maxAccounts?: number
}

/**
 * Maximum number of accounts, in addition to the common one. For one more, the least recently used is
 * forgotten, unless its budget is in use.
 */
const MAX_ACCOUNTS = 20_000
/** After this time and the deadline of a request, an unused budget has no state that still matters. */
const IDLE_MS = 120_000

/**
 * The accounts that grants name, and the common one, which is never forgotten. A budget is closed after some
 * idle minutes, because with Redis each makes a call every 10 s. The common budget is always open.
 */
export function createAccounts({ maxAccounts = MAX_ACCOUNTS, ...options }: AccountsOptions) {
  const { settings, emit, hold, note, userName, register } = options
  const { deadlineMs, platform, meetings, redis } = settings
  const { clock, random } = platform
  const { burst, perSecond, windowMs } = MEETINGS_RATE
  const { account: commonName, reserve } = meetings
  // `strict`: the account's 5 requests in any second, which are never more than its 25 in 5 s. (Contract:
  // "Limits".)
  const strict = { limit: Math.max(1, Math.floor((perSecond * (burst - reserve)) / burst)), windowMs: 1_000 }
  const rate = meetings.strict ? strict : { limit: burst, windowMs, reserve }

  /** The budgets of the named accounts. */
  const open = new Map<Account, Budget>()
  /** The shared sessions of all accounts that have used them. */
  const shared = new Map<Account, AccountSessions>()
  const sessionTexts = createSessionTexts(settings, userName)
  let lastNumber = 0
  const nextNumber = (): number => (lastNumber += 1)

  const closeBudget = (account: Account): void => {
    open.delete(account)
    void account.closeBudget()
  }

  const closeSessions = (account: Account): void => {
    shared.delete(account)
    void account.closeSessions()
  }

  const closeAll = (account: Account): void => {
    closeBudget(account)
    closeSessions(account)
  }

  const sweep = (): void => {
    for (const account of open.keys()) if (account.isIdle(IDLE_MS + deadlineMs)) closeBudget(account)
    // Without Redis only this process knows whose sessions were ended, so they stay.
    if (redis)
      for (const [account, sessions] of shared)
        if (account !== common && sessions.isIdle(IDLE_MS + deadlineMs)) closeSessions(account)
    if (open.size + shared.size > 0) alarm.set()
  }

  const alarm = createAlarm(clock, IDLE_MS, sweep)

  const readerWith = (emitter: EmitOfAccount) => (name: string, secret: Secret) =>
    createSecretReader({ name, secret, timeoutMs: deadlineMs, clock, emit: emitter, hold, note })

  const budgetOf = (account: string, emitter: EmitOfAccount): Budget =>
    createBudget({
      ...rate,
      redis,
      account,
      timeoutMs: deadlineMs,
      clock,
      random,
      onEvent: (event: BudgetEvent) => emitter?.(event),
    })

  const { sessions: sessionRules } = settings
  const sessionsOf =
    sessionRules &&
    ((account: Account, name: string, emitter: EmitOfAccount): AccountSessions => {
      const { max, ...rules } = sessionRules
      const sessions = createSessions({
        ...rules,
        max: () => account.maxSessions ?? max,
        redis,
        account: name,
        clock,
        onEvent: (event: SessionsEvent) => emitter?.(event),
      })
      const created = new AccountSessions({ account: account.name, sessions, texts: sessionTexts, platform })
      shared.set(account, created)
      alarm.set()
      return created
    })

  const { apiKey } = settings
  const commonEmitter = emitterOf(undefined, emit)
  const commonKey = apiKey === undefined ? undefined : readerWith(commonEmitter)('apiKey', apiKey)
  const common = new Account(undefined, {
    clock,
    commonKey,
    register,
    nextNumber,
    createReader: readerWith(commonEmitter),
    createBudget: () => budgetOf(commonName, commonEmitter),
    createSessions: sessionsOf && ((account) => sessionsOf(account, commonName, commonEmitter)),
  })
  const named = new LRUCache<string, Account>({ ...atMost(maxAccounts), dispose: closeAll })

  const create = (name: string): Account => {
    const [oldest] = named.size >= maxAccounts ? named.rvalues() : []
    if (oldest?.isInUse()) throw new BffError('BUDGET_EXHAUSTED', { seen: { cause: 'accounts' } })
    const emitter = emitterOf(name, emit)
    const nameInRedis = nameBeside(commonName, name)
    const account = new Account(name, {
      clock,
      commonKey,
      register,
      nextNumber,
      createReader: readerWith(emitter),
      createBudget() {
        const budget = budgetOf(nameInRedis, emitter)
        open.set(account, budget)
        alarm.set()
        return budget
      },
      createSessions: sessionsOf && ((self) => sessionsOf(self, nameInRedis, emitter)),
    })
    named.set(name, account)
    return account
  }

  /** Without a name: the common account. */
  const find = (name: string | undefined): Account =>
    name === undefined ? common : (named.get(name) ?? create(name))

  const allBudgets = (): Budget[] => [common.budget, ...open.values()]

  return {
    /** Opens the common budget, so that an operator sees at the start if Redis does not respond. */
    open(): void {
      void common.budget
    },
    /** Throws BUDGET_EXHAUSTED if there are too many accounts, all of them in use. */
    of({ account: name, apiKey: key, meetings: lists, sessions }: SecretGrant): GrantAccounts {
      // A secret that a function returns is remembered when it was read.
      for (const secret of [key, lists?.credential]) if (typeof secret === 'string') note(secret)
      const account = find(name)
      // A grant without `max` keeps the number of the grant before it.
      if (sessions?.max !== undefined) account.maxSessions = sessions.max
      // The option `meetings.account` names the common account. `account` of a grant never does.
      const own = lists?.account
      return {
        account,
        meetingsAccount: own === undefined ? account : find(own === commonName ? undefined : own),
      }
    },
    /** The account of this name, or without one the common account. */
    find,
    /** The names of the accounts that this process knows. */
    names: (): string[] => [...named.keys()],
    /** Drops all that this process knows of an account. */
    drop(name: string): void {
      named.delete(name)
    },
    /** For all open budgets: sums, and the longest freeze. */
    gauge(): BudgetGauge & { readonly accounts: number; readonly sessions?: SessionsGauge } {
      const gauges = allBudgets().map((budget) => budget.gauge())
      const sessions = [...shared.values()].map((one) => one.gauge())
      return {
        ...gauges.reduce(sumOf),
        accounts: gauges.length,
        ...(sessionRules && { sessions: sumOfSessions(sessions) }),
      }
    },
    /**
     * True if Redis does not respond for the common account, or for half of the others. In a cluster it may
     * be lost for some accounts. If this instance left the load balancer, the other instances would have its
     * users too.
     */
    isDegraded(): boolean {
      if (common.budget.degraded() !== undefined || shared.get(common)?.isDegraded()) return true
      const degraded = [...open.values()].filter((budget) => budget.degraded() !== undefined).length
      return degraded > 0 && degraded * 2 >= open.size
    },
    async close(): Promise<void> {
      alarm.stop()
      await Promise.all([...allBudgets(), ...shared.values()].map((each) => each.close()))
    },
  }
}

/**
 * The name of an account in Redis. A customer may have the name of the common account, and is another one. Such a
 * customer gets one more colon. Other names stay.
 */
function nameBeside(common: string, name: string): string {
  return name.endsWith(common) && /^:*$/.test(name.slice(0, -common.length)) ? `:${name}` : name
}

function sumOf(one: BudgetGauge, other: BudgetGauge): BudgetGauge {
  return {
    limit: one.limit + other.limit,
    used: one.used + other.used,
    waiting: one.waiting + other.waiting,
    frozenMs: Math.max(one.frozenMs, other.frozenMs),
    foreignUse: one.foreignUse + other.foreignUse,
  }
}

/** `max` is missing if it is not known for one of them. */
function sumOfSessions(gauges: readonly SessionsGauge[]): SessionsGauge {
  const sum = (read: (gauge: SessionsGauge) => number): number =>
    gauges.reduce((total, gauge) => total + read(gauge), 0)
  return {
    open: sum(({ open }) => open),
    waiting: sum(({ waiting }) => waiting),
    max: gauges.some(({ max }) => max === undefined) ? undefined : sum(({ max = 0 }) => max),
    learned: gauges.some(({ learned }) => learned),
  }
}
