import type { BudgetRules } from '../protocol.js'

/*
 * A slot:
 *
 *   granted --answered--> done ---- a window after the response ----> free
 *      |------aborted---> done ---- a window and the grace after ---> free
 *      |------unsent------------------------------------------------> free
 *      '-(its instance is gone)-- the timeout and a window after ---> free
 *
 * So every request that the upstream may still count is held: the upstream counts it at a time between grant
 * and response, for one window.
 */
export interface HeldSlot {
  readonly id: string
  readonly user: string
  /** Of a shared call, unless it was aborted, and the instance that makes it. */
  call?: string | undefined
  readonly instance?: string | undefined
  grantedAt: number
  /** When the request was answered or given up; -1 while it is in flight. */
  doneAt: number
  freeAt: number
}

export interface QueuedRequest {
  readonly id: string
  readonly instance: string
  readonly user: string
  /** Requests with the same call need one slot. */
  readonly call?: string | undefined
  readonly cost: number
  readonly background: boolean
  until: number
}

/**
 * Raised when a field gets another meaning. A new field does not raise it: the release before keeps fields
 * that it does not know (docs/decisions/budget.md).
 */
export const STATE_VERSION = 1

/**
 * Everything that the instances of an account share. Plain data: it is the JSON that lies in Redis. Times are
 * of one clock.
 */
export interface BudgetState {
  readonly version: number
  /**
   * Names this state, from creation to loss. An instance that knows another epoch has seen the loss of a
   * state.
   */
  epoch: string
  /** No instance that called so far knew another epoch. */
  cold: boolean
  calls: number
  /** Time of the last call: if now is before it, the clock has stepped back. */
  lastAt: number
  /** When an instance last reported that the clock had stepped forward. */
  steppedAt: number
  slots: HeldSlot[]
  /** In order of arrival. */
  waiters: QueuedRequest[]
  /** They left the queue because another request makes their call. No reply has named them yet. */
  shared: QueuedRequest[]
  /**
   * Virtual time of the fair queue, and the start of each user's next grant in it: of users that wait or were
   * served lately.
   */
  virtual: number
  tags: Record<string, number>
  /** When each instance is expected to call again. */
  dueAt: Record<string, number>
  /**
   * Instances that may be using slots without the state, and how long at most their share is kept until they
   * report.
   */
  apart: Record<string, number>
  /** Slots given up for now, after a 429. */
  lowered: number
  /** When `lowered` last changed. */
  loweredAt: number
  frozenUntil: number
  /**
   * Start of the last 429, how many came in a row, and how many of them a limit for single seconds would
   * explain.
   */
  limitedAt: number
  limitedInRow: number
  secondsSuspected: number
  strict: boolean
  foreignUse: number
}

export function createBudgetState(epoch: string, rules: BudgetRules): BudgetState {
  return {
    version: STATE_VERSION,
    epoch,
    cold: true,
    calls: 0,
    lastAt: 0,
    steppedAt: 0,
    slots: [],
    waiters: [],
    shared: [],
    virtual: 0,
    tags: {},
    dueAt: {},
    apart: {},
    lowered: 0,
    loweredAt: 0,
    frozenUntil: 0,
    limitedAt: -1,
    limitedInRow: 0,
    secondsSuspected: 0,
    strict: rules.strict,
    foreignUse: 0,
  }
}

/** An id begins with the name of its instance. */
export function isOfInstance(id: string, instance: string): boolean {
  return id.startsWith(`${instance}:`)
}
