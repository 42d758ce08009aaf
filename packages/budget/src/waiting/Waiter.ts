import type { BudgetRefusal, Slot, SlotRequest } from './Budget.js'
import type { Clock } from '../core/Clock.js'
import type { RoundTrip } from './createRoundTrip.js'

/** Time until the next call after a failed one, and the wait that a waiter expects before its first reply. */
export const RETRY_MS = 250
/** Costs are whole numbers, so that every store computes the same order. */
const UNIT_COST = 1_000

export type WaitOutcome = Slot | 'shared' | BudgetRefusal | { readonly aborted: unknown }

interface WaiterListeners {
  /** The caller aborted. */
  onAbort(reason: unknown): void
  /** The deadline that was known has passed, but the caller has more time now. */
  onMoreTime(): void
  onDeadline(): void
}

/**
 * A request of this instance that waits for a slot:
 *
 *           reply: queued
 *   asking ----------------> queued --reply: granted--> gone, with a slot
 *     |  ^                      |
 *     |  '-- ask again ---.     | a later reply does not know it
 *     |                   |     v
 *     '--call failed--> unknown '
 *
 * A request of a shared call can also be `covered`: enough others of the call are in the queue. Its place is
 * offered to the queue again from time to time, by an ask. When one request of the call gets a slot, or is
 * told that it is shared, the others of this instance are told that they are shared.
 *
 * From every state it can be refused, aborted by its caller, past its deadline, or closed with the budget.
 * Then it is gone.
 */
export interface Waiter {
  id: string
  readonly user: string
  readonly call: string | undefined
  readonly cost: number
  readonly background: boolean
  readonly since: number
  /** How long it can wait for a slot that it can still use: the caller's time, less the usual round trip. */
  readonly remainingMs: () => number
  status: 'asking' | 'queued' | 'covered' | 'unknown'
  /** What the first reply said that it was covered by others of its call. */
  covered: { readonly at: number; readonly start: number } | undefined
  /** The last call that had been made when it was queued: replies to earlier calls cannot know it. */
  lastCall: number
  waitMs: number
  /** Starts to watch the caller's signal and deadline, until `settle`. */
  watch(listeners: WaiterListeners): void
  /** Ends the wait. */
  settle(outcome: WaitOutcome): void
}

interface WaiterOptions {
  readonly id: string
  readonly request: SlotRequest
  /** Name of the user in the state. */
  readonly user: string
  readonly clock: Clock
  readonly roundTrip: RoundTrip
  readonly onSettled: (outcome: WaitOutcome) => void
}

export function createWaiter({ id, request, user, clock, roundTrip, onSettled }: WaiterOptions): Waiter {
  const { call, weight, priority, deadlineMs, signal } = request
  const since = clock.now()
  const callersMs = typeof deadlineMs === 'function' ? deadlineMs : () => since + deadlineMs - clock.now()
  // Half of the time is always there to wait: without requests no faster round trip would ever be seen.
  const longestMs = callersMs() / 2
  const remainingMs = (): number => callersMs() - Math.min(roundTrip.usualMs(), longestMs)
  let onAbort: (() => void) | undefined
  let cancelDeadline = (): void => {}

  return {
    id,
    user,
    call,
    cost: costOf(weight ?? 1),
    background: priority === 'background',
    since,
    remainingMs,
    status: 'unknown',
    covered: undefined,
    lastCall: 0,
    waitMs: RETRY_MS,
    watch(listeners) {
      onAbort = () => listeners.onAbort(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      const watchDeadline = (): void => {
        cancelDeadline = clock.after(remainingMs(), () => {
          // Less than a timer can measure.
          if (remainingMs() < 1) return listeners.onDeadline()
          watchDeadline()
          listeners.onMoreTime()
        })
      }
      watchDeadline()
    },
    settle(outcome) {
      if (onAbort) signal.removeEventListener('abort', onAbort)
      cancelDeadline()
      onSettled(outcome)
    },
  }
}

function costOf(weight: number): number {
  return Math.max(1, Math.min(UNIT_COST ** 2, Math.round(UNIT_COST / weight)))
}
