import type { BudgetNotice, RefusalReason } from './events.js'

/*
 * Calls of an instance to the budget's state, and the replies. The state is in this process or in Redis,
 * under the same rules (`rules/applyOp.ts`). Times are milliseconds.
 */

/** The numbers that the rules need. All instances of an account must be given the same. */
export interface BudgetRules {
  /** Slots in a window, less `reserve`. */
  readonly limit: number
  readonly windowMs: number
  /** Grants in any second while requests wait. */
  readonly perSecond: number
  /**
   * In strict mode: slots in any second, counted like the window's, from the grant until one second after the
   * response.
   */
  readonly strictPerSecond: number
  /** Strict from the start, instead of once the upstream's 429s show it. */
  readonly strict: boolean
  /** Slots that one user may hold before its next request has to wait although no other user waits. */
  readonly burst: number
  /**
   * The longest that a request can be in flight. A slot whose instance died is free this long, and a window,
   * after the grant.
   */
  readonly timeoutMs: number
  /** Added to every window: the grain of the clocks, and their drift over a few seconds. */
  readonly marginMs: number
  /** How long a request that was given up may still be on its way to the upstream. */
  readonly graceMs: number
  readonly maxWaiting: number
  readonly maxWaitingPerUser: number
  /**
   * An instance with waiters calls at least this often: slots come back early, and other instances' waiters
   * leave.
   */
  readonly pollMs: number
  /** An instance that is this late for its call loses its turn until it calls again. */
  readonly lateMs: number
  /**
   * An instance without waiters calls this often: to be counted, and to know of every outage in which others
   * went on alone.
   */
  readonly heartbeatMs: number
}

/**
 * - `reply`: the last call had a reply, or this is the first.
 * - `silence`: it had none. The state may have been restored from an old copy since, and the instance that
 *   would notice may not have called yet: this call is granted nothing.
 * - `clock-step`: the last reply showed that the store's clock had stepped forward: slots may have come free
 *   too early.
 */
export type CallBefore = 'reply' | 'silence' | 'clock-step'

/** A slot as its instance knows it. Times are whole milliseconds before or after the call. */
export interface OwnSlot {
  readonly id: string
  readonly user: string
  /** Of a shared call. */
  readonly call?: string | undefined
  readonly grantedMsAgo: number
  /** -1: in flight. */
  readonly doneMsAgo: number
  readonly freeMs: number
}

interface Sender {
  readonly instance: string
  /** The epoch of the last reply to this instance; empty in its first call. */
  readonly epoch: string
  /** How many calls that epoch had counted then: a state that knows of fewer was restored from a copy. */
  readonly seen: number
  /** Name for a new epoch, if the state is gone. Never the same twice. */
  readonly newEpoch: string
  /** What came before this call. */
  readonly after: CallBefore
  /** How long ago this instance last had a reply when it sent this call. */
  readonly silentMs: number
  /** When it was sent, by the store's clock as far as this instance can tell; 0 if it cannot. */
  readonly sentAt: number
  /**
   * All slots of this instance: it was late for this call, or used its slots without the state. Else nothing.
   */
  readonly own?: readonly OwnSlot[] | undefined
}

export type BudgetAction =
  /**
   * A request wants a slot within `withinMs`. Asking again with the same id is harmless: it gets what it
   * already has.
   */
  | {
      readonly type: 'ask'
      readonly id: string
      readonly user: string
      /** Requests with the same call, of all instances, need one slot. */
      readonly call?: string | undefined
      /** What a grant costs in the fair order: 1000 divided by the user's weight, a positive integer. */
      readonly cost: number
      readonly background: boolean
      readonly withinMs: number
      /**
       * Of a request that was covered, what the first reply said: its time, and where its user stood in the
       * fair order.
       */
      readonly covered?: { readonly at: number; readonly start: number } | undefined
    }
  /** A request that was not granted a slot no longer wants one. */
  | { readonly type: 'leave'; readonly id: string }
  | { readonly type: 'release'; readonly id: string; readonly outcome: 'answered' | 'unsent' | 'aborted' }
  /**
   * The upstream responded with 429 to the request of slot `id` (empty if it is not known). `jitter`: from 0
   * to 1.
   */
  | {
      readonly type: 'limited'
      readonly id: string
      readonly retryAfterMs?: number | undefined
      readonly jitter: number
    }
  /** The instance closes. Its slots in flight stay until they are released. */
  | { readonly type: 'bye' }

/**
 * All that an instance has to say since its last call, in order. Without actions it asks only what is new.
 */
export interface BudgetOp extends Sender {
  readonly actions: readonly BudgetAction[]
}

export type AskAction = Extract<BudgetAction, { type: 'ask' }>

export interface Refused {
  readonly id: string
  readonly reason: RefusalReason
  readonly retryAfterMs: number
}

export interface BudgetReply {
  /** The store's time of this call. */
  readonly at: number
  readonly epoch: string
  /** Calls of this epoch so far. */
  readonly calls: number
  /** Requests of the calling instance that hold a slot since this call. */
  readonly granted: readonly string[]
  /** Requests of the calling instance that need no slot: another request with the same call has one. */
  readonly shared: readonly string[]
  /** Requests of the calling instance in the queue, each with its estimated wait. */
  readonly waiting: readonly (readonly [id: string, waitMs: number])[]
  /**
   * Requests of the calling instance that the queue does not keep, because enough of their call wait in it;
   * and where their users stand in the fair order. They get the result of the call, and may ask again.
   */
  readonly covered: readonly (readonly [id: string, start: number])[]
  /** New requests that get no slot. */
  readonly refused: readonly Refused[]
  /** When to call again. */
  readonly nextMs: number
  /** The earliest time at which any request can get a slot. */
  readonly openMs: number
  /** Slots of a window, less what 429s took away for now. */
  readonly limit: number
  /** When each used slot is free again, soonest first. */
  readonly frees: readonly number[]
  readonly waitingTotal: number
  readonly frozenMs: number
  readonly strict: boolean
  readonly foreignUse: number
  /** Instances that called within the last minute. */
  readonly instances: number
  /** The slots of the calling instance are kept until it reports them. */
  readonly apart: boolean
  readonly notices: readonly BudgetNotice[]
}
