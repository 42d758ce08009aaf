import type { Leased, Queued, Renewed, Sessions, SessionsGauge } from '@stagepass/budget'
import { SessionsRefusal } from '@stagepass/budget'
import { type BffErrorCode, type HandshakeCheckResponse, isProduct, type Product } from '@stagepass/contract'
import type { SessionRenewal } from '@stagepass/contract/schemas'
import { BffError } from '../base/BffError.js'
import { newId, type Platform } from '../base/platform.js'
import type { GrantUser } from '../grant/userKey.js'
import type { SessionTexts } from './createSessionTexts.js'

/** A session that is open, or may be opened at any moment. */
export interface OpenSession {
  /** For `bff.end`. */
  readonly id: string
  /** As in the grant. Empty if it cannot be read, because `userSecret` was another one. */
  readonly user: string
  /** As in the grant. Undefined: the common account. */
  readonly account: string | undefined
  readonly product: Product
  readonly since: Date
}

/** A lease of a user, as a page has named it. */
export interface SessionId {
  readonly id: string
  readonly product: Product
}

/** For this time after "no room", refused pages get the same answer without a check. */
const FULL_MS = 10_000
/** Without a request for this time, all leases and places are over: the longest, a place, ends after 75 s. */
const OVER_MS = 90_000
/** With as many free sessions or fewer, a page asks before it opens. */
const FEW = 2

interface AccountSessionsOptions {
  readonly account: string | undefined
  readonly sessions: Sessions
  readonly texts: SessionTexts
  readonly platform: Platform
}

/**
 * The simultaneous sessions of one account, all products together. The store knows users under names that say
 * nothing; a page gets ids that are signed for its user, so that each instance can tell whose they are, also
 * while Redis is lost. (Assumptions: "Scope of too many sessions".)
 */
export class AccountSessions {
  readonly #account: string | undefined
  readonly #sessions: Sessions
  readonly #texts: SessionTexts
  readonly #platform: Platform
  #usedAt = 0
  #fullAt = -Infinity
  #checking: Promise<HandshakeCheckResponse> | undefined

  constructor({ account, sessions, texts, platform }: AccountSessionsOptions) {
    this.#account = account
    this.#sessions = sessions
    this.#texts = texts
    this.#platform = platform
    this.#usedAt = platform.clock.now()
  }

  /** Reads a lease or a ticket of a page. Returns `undefined` if it is not one of this user. */
  async read(user: GrantUser, text: string): Promise<SessionId | undefined> {
    const [product, id = ''] = (await this.#texts.ids.read(user, text))?.split('.') ?? []
    return isProduct(product) ? { product, id } : undefined
  }

  /** The text of a lease or a ticket for the page of its user. */
  write(user: GrantUser, { product, id }: SessionId): Promise<string> {
    return this.#texts.ids.write(user, `${product}.${id}`)
  }

  /** Asks for a lease, or for the place of an earlier request. */
  async ask(
    user: GrantUser,
    product: Product,
    { weight, id }: { readonly weight: number | undefined; readonly id: string | undefined },
  ): Promise<Leased | Queued> {
    const [name, note] = await Promise.all([this.#texts.userName(user), this.#texts.note(user, product)])
    return this.#call(() => this.#sessions.ask({ user: name, weight, note, id: id ?? newId() }))
  }

  async renew(
    user: GrantUser,
    { product, id }: SessionId,
    { holds, hidden: isHidden }: SessionRenewal,
  ): Promise<Renewed> {
    const [name, note] = await Promise.all([this.#texts.userName(user), this.#texts.note(user, product)])
    return this.#call(() => this.#sessions.renew(id, { user: name, holds, isHidden, note }))
  }

  /** Returns for how long there was a lease; `undefined` if there was none. */
  async release(user: GrantUser, { id }: SessionId): Promise<number | undefined> {
    const name = await this.#texts.userName(user)
    return this.#call(() => this.#sessions.release(id, name))
  }

  /**
   * The service had no room for the session of this lease. It is in the queue again, at the place that it had
   * before.
   */
  async refused(user: GrantUser, { id }: SessionId): Promise<Queued> {
    const name = await this.#texts.userName(user)
    return this.#call(() => this.#sessions.refused(id, name))
  }

  /** Rejects with ENDED_BY_SERVER if the sessions of the user were ended. For a token without a session. */
  async check(user: GrantUser): Promise<void> {
    const name = await this.#texts.userName(user)
    return this.#call(() => this.#sessions.check(name))
  }

  /**
   * Why the service has refused a page. `tryHandshake` asks it, which takes a session for a moment: so one check
   * is for all pages of the account that are refused at the same time, and for those of the next 10 s if the
   * account was full. Any other reason may be that of one page alone.
   */
  async diagnose(tryHandshake: () => Promise<HandshakeCheckResponse>): Promise<HandshakeCheckResponse> {
    if (this.#platform.clock.now() - this.#fullAt < FULL_MS) return FULL
    // If the page of the check leaves, that fails for no other page.
    const found = await this.#checking?.catch(() => undefined)
    if (found && isFull(found)) return found
    const mine = tryHandshake()
    this.#checking = mine
    try {
      const result = await mine
      if (isFull(result)) this.#fullAt = this.#platform.clock.now()
      return result
    } finally {
      if (this.#checking === mine) this.#checking = undefined
    }
  }

  /** Ends the sessions of a user, one session, or all. Rejects if Redis does not respond. */
  async end(
    whose: { readonly user: GrantUser } | { readonly id: string } | undefined,
    forMs: number,
    reason: string,
  ): Promise<void> {
    const parts = whose && 'user' in whose ? { user: await this.#texts.userName(whose.user) } : (whose ?? {})
    await this.#call(() => this.#sessions.end(parts, forMs, reason))
  }

  /** The sessions of the account, or those of one user. Rejects if Redis does not respond. */
  async list(user?: GrantUser): Promise<OpenSession[]> {
    const name = user && (await this.#texts.userName(user))
    const rows = await this.#call(() => this.#sessions.list())
    const now = this.#platform.wallNow()
    const found: OpenSession[] = []
    for (const row of rows) {
      if (name !== undefined && row.user !== name) continue
      const note = await this.#texts.readNote(row.note)
      if (!note) continue
      const id = this.#account === undefined ? row.id : `${this.#account}/${row.id}`
      found.push({ id, account: this.#account, ...note, since: new Date(now - row.forMs) })
    }
    return found
  }

  /** `full`: few sessions are free, or it is not known how many. */
  room(): 'free' | 'full' {
    const { max, open, waiting } = this.#sessions.gauge()
    if (this.#sessions.degraded() !== undefined) return 'full'
    return max === undefined || max - open - waiting > FEW ? 'free' : 'full'
  }

  gauge(): SessionsGauge {
    return this.#sessions.gauge()
  }

  isDegraded(): boolean {
    return this.#sessions.degraded() !== undefined
  }

  /** True if there may be leases or places. */
  isInUse(): boolean {
    const { open, waiting } = this.#sessions.gauge()
    return open + waiting > 0 && !this.isIdle(OVER_MS)
  }

  isIdle(idleMs: number): boolean {
    return this.#platform.clock.now() - this.#usedAt >= idleMs
  }

  close(): Promise<void> {
    return this.#sessions.close()
  }

  async #call<TResult>(call: () => Promise<TResult>): Promise<TResult> {
    this.#usedAt = this.#platform.clock.now()
    try {
      return await call()
    } catch (error) {
      throw error instanceof SessionsRefusal ? refusalError(error) : error
    }
  }
}

const FULL = {
  ok: false,
  error_code: 'concurrency_limit_exceeded',
  retryable: true,
} as const satisfies HandshakeCheckResponse

export const isFull = (found: HandshakeCheckResponse): boolean =>
  !found.ok && found.error_code === FULL.error_code

const CODES = {
  ended: 'ENDED_BY_SERVER',
  'user-full': 'RATE_LIMITED',
  full: 'BUDGET_EXHAUSTED',
  closing: 'SHUTTING_DOWN',
  // An id is signed for its user, so the store does not have it for another one.
  foreign: 'NOT_FOUND',
} as const satisfies Record<SessionsRefusal['reason'], BffErrorCode>

const refusalError = ({ reason, retryAfterMs, note }: SessionsRefusal): BffError =>
  new BffError(CODES[reason], { retryAfterMs, reason: note || undefined, seen: { cause: 'sessions' } })
