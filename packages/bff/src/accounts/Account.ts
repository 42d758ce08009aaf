import type { Budget } from '@stagepass/budget'
import { LRUCache } from 'lru-cache/raw'
import type { AccountSessions } from './AccountSessions.js'
import { BffError } from '../base/BffError.js'
import { atMost, type Clock } from '../base/platform.js'
import type { Secret } from '../base/Secret.js'
import type { KeyRegister } from '../usage/createKeyRegister.js'
import { SECRET_FRESH_MS, type SecretReader } from './createSecretReader.js'

/**
 * Maximum number of users of one account whose credential is kept, and of credentials that have a number.
 * Beyond it, the least recently used is forgotten. A reader with its value takes 1.4 KB.
 */
const MAX_CREDENTIALS = 10_000

interface AccountParts {
  readonly clock: Clock
  readonly createReader: (name: string, secret: Secret) => SecretReader
  readonly createBudget: (account: Account) => Budget
  /** Undefined if sessions are not shared. */
  readonly createSessions: ((account: Account) => AccountSessions) | undefined
  /** The key of the options. */
  readonly commonKey: SecretReader | undefined
  readonly register: KeyRegister
  /** A number that no account of this process has had. */
  readonly nextNumber: () => number
}

/**
 * What belongs to one account. Nothing of it is used for another account. (security.md, S58.) Its parts are
 * created when they are first used.
 */
export class Account {
  /** The name in grants. Missing for the common account. */
  readonly name: string | undefined
  readonly #parts: AccountParts
  #key: SecretReader | undefined
  /** The newest key that the register has, and its name there. */
  #admitted: { readonly key: string; readonly print: string } | undefined
  #learnAgainAt = -Infinity
  #budget: Budget | undefined
  #budgetUsedAt = 0
  #sessions: AccountSessions | undefined
  /** `sessions.max` of its grants. */
  maxSessions: number | undefined
  #credentials: LRUCache<string, SecretReader> | undefined
  #numbers: LRUCache<string, number> | undefined

  constructor(name: string | undefined, parts: AccountParts) {
    this.name = name
    this.#parts = parts
  }

  /** The reader of the API key that a grant brought. Without one, that of the options. */
  keyOf(secret: Secret | undefined): SecretReader | undefined {
    if (secret === undefined) return this.#parts.commonKey
    this.#key ??= this.#parts.createReader('apiKey', secret)
    this.#key.secret = secret
    return this.#key
  }

  /** The name of a grant's key in the register. Undefined before the key was read, and for another one. */
  printOf(secret: Secret | undefined): string | undefined {
    return typeof secret === 'string' && secret !== this.#admitted?.key ? undefined : this.#admitted?.print
  }

  /** Call it before a key is used. Throws ENDED_BY_SERVER if the account was forgotten with this key. */
  async admit(key: string): Promise<void> {
    if (this.name === undefined || this.#admitted?.key === key) return
    const { register } = this.#parts
    const print = await register.printOf(this.name, key)
    if (!(await register.admit(this.name, print))) throw forgotten()
    this.#admitted = { key, print }
  }

  /** Reads the key again. Throws ENDED_BY_SERVER if the account was forgotten with it. */
  async checkKey(secret: Secret | undefined, signal: AbortSignal): Promise<void> {
    this.#key = undefined
    this.#admitted = undefined
    const reader = this.keyOf(secret)
    if (!reader) throw forgotten()
    try {
      await this.admit(await reader.read(signal))
    } catch (error) {
      this.#key = undefined
      throw error
    }
  }

  /**
   * The register should know the key before it is forgotten, also if no token is requested with it. The key
   * may change, so this looks once a minute.
   */
  async learnKey(secret: Secret | undefined): Promise<void> {
    const now = this.#parts.clock.now()
    if (this.name === undefined || now < this.#learnAgainAt) return
    this.#learnAgainAt = now + SECRET_FRESH_MS
    const reader = this.keyOf(secret)
    if (reader) await this.admit(await reader.read(new AbortController().signal))
  }

  /** The reader of a user's credential. A function may return a different value for each user. */
  credentialOf(secret: Secret, user: string): SecretReader {
    const create = (): SecretReader => this.#parts.createReader('meetings.credential', secret)
    if (typeof secret === 'string') return create()
    this.#credentials ??= new LRUCache(atMost(MAX_CREDENTIALS))
    const reader = this.#credentials.get(user) ?? create()
    reader.secret = secret
    this.#credentials.set(user, reader)
    return reader
  }

  /**
   * A number for the value of a credential, which reveals nothing about it. A value that was not used for a
   * long time gets a new number, and then finds none of its old pages. No number comes twice, also not in an
   * account that is created again: it would find the pages of another user.
   */
  numberOf(credential: string): number {
    this.#numbers ??= new LRUCache(atMost(MAX_CREDENTIALS))
    const number = this.#numbers.get(credential) ?? this.#parts.nextNumber()
    this.#numbers.set(credential, number)
    return number
  }

  /** The budget of its lists. */
  get budget(): Budget {
    this.#budgetUsedAt = this.#parts.clock.now()
    return (this.#budget ??= this.#parts.createBudget(this))
  }

  /** Its simultaneous sessions. Undefined if they are not shared. */
  get sessions(): AccountSessions | undefined {
    return (this.#sessions ??= this.#parts.createSessions?.(this))
  }

  /** True if it has requests that wait, open sessions, or requests that the service still counts. */
  isInUse(): boolean {
    if (this.#sessions?.isInUse()) return true
    if (!this.#budget) return false
    const { waiting, used, frozenMs } = this.#budget.gauge()
    return waiting + used + frozenMs > 0
  }

  /** True if its budget was not used for this time. */
  isIdle(idleMs: number): boolean {
    return this.#parts.clock.now() - this.#budgetUsedAt >= idleMs && !this.isInUse()
  }

  /** Closes the budget. A later request opens another one. */
  async closeBudget(): Promise<void> {
    const budget = this.#budget
    this.#budget = undefined
    await budget?.close()
  }

  /** The same for the sessions. */
  async closeSessions(): Promise<void> {
    const sessions = this.#sessions
    this.#sessions = undefined
    await sessions?.close()
  }
}

const forgotten = (): BffError => new BffError('ENDED_BY_SERVER', { seen: { cause: 'forgotten' } })
