/** The rate budget of an account. One interface for one process and for many. The caller acquires a slot before each request. */
export interface Budget {
  /**
   * Waits for a slot, in fair order among users. Rejects with a `BudgetRefusal`, at once if no slot can come in time, or with `signal.reason`
   * if the caller aborts.
   */
  acquire(request: SlotRequest & { readonly call?: undefined }): Promise<Slot>
  /**
   * With `call`, the result can be `shared`: another request with this call has the slot and makes the call for all. If its holder releases the
   * slot `unsent` or `aborted`, those that were told `shared` are on their own, and may ask again.
   */
  acquire(request: SlotRequest): Promise<Slot | 'shared'>
  /**
   * The upstream answered 429: all instances stop for a while. `retryAfterMs`: the header's value, if there was one. With the `slot` of the
   * request, several 429s at one time count as one. The holder still releases the slot.
   */
  rateLimited(retryAfterMs: number | undefined, slot?: Slot): void
  gauge(): BudgetGauge
  /** What is wrong with this instance, or `undefined`. */
  degraded(): string | undefined
  /** Refuses the waiters and new requests with `closing`, and gives unused slots back. */
  close(): Promise<void>
}

/** Argument of `acquire`: for whom a slot is, and how long it is waited for. */
export interface SlotRequest {
  /** The grant's user: the unit of fairness. */
  readonly user: string
  /**
   * Requests with the same `call` need one slot: the first that gets it makes the call for all. The call has the
   * place in the line that the first of them would have alone, and each has its own deadline. A short name, shared by all instances of the account.
   */
  readonly call?: string | undefined
  /** Share of this user beside others. Default 1. */
  readonly weight?: number | undefined
  /** `background` (a revalidation) comes after the requests of all users. Default `user`. */
  readonly priority?: 'user' | 'background' | undefined
  /** How long the caller can wait, in milliseconds from now. A function if the caller may get more time while it waits. */
  readonly deadlineMs: number | (() => number)
  readonly signal: AbortSignal
}

/**
 * The right to send one request. The first call of `release` ends it; later calls do nothing. With `await using`, a block that ends without it,
 * as by an error, releases the slot as `aborted`.
 */
export interface Slot extends AsyncDisposable {
  /**
   * - `answered`: the response came (or failed after it was sent); the slot is free a window from now.
   * - `unsent`: nothing was written to the socket; the slot is free at once.
   * - `aborted`: written, then aborted; treated as answered now, plus a margin.
   */
  release(outcome: 'answered' | 'unsent' | 'aborted'): void
}

/** Waits for a slot, counted as Prometheus does: each bucket holds all waits up to its bound. Milliseconds. */
export interface WaitHistogram {
  readonly count: number
  readonly sumMs: number
  readonly buckets: readonly { readonly upToMs: number; readonly count: number }[]
}

/** State of the budget, for the whole account unless noted. Counts of slots and waiters; times in milliseconds. */
export interface BudgetGauge {
  /** Slots in a window that may be used at present: `limit`, less `reserve`, less what 429s took away for now. */
  readonly limit: number
  readonly used: number
  readonly waiting: number
  /** Zero if nothing is frozen. */
  readonly frozenMs: number
  /** No more than 5 in any single second either. */
  readonly strict: boolean
  /** 429s that our own requests cannot explain, since the state began. */
  readonly foreignUse: number
  /** Waits for a slot in this instance, since its start. */
  readonly waits: WaitHistogram
}

/** The budget cannot give a slot in time. */
export class BudgetRefusal extends Error {
  override readonly name = 'BudgetRefusal'
  readonly reason: 'user-queue-full' | 'queue-full' | 'too-late' | 'closing'
  /** Estimate of when to ask again. */
  readonly retryAfterMs: number

  constructor(reason: BudgetRefusal['reason'], retryAfterMs: number) {
    super(`Failed to get a slot of the budget: ${reason}. Ask again in ${retryAfterMs} ms.`)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}
