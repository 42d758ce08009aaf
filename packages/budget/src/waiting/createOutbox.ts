import type { Clock } from '../core/Clock.js'
import type { BudgetAction } from '../core/protocol.js'

/**
 * While a call is in flight, actions wait for its reply, but no longer than this: a slow store does not
 * double each wait.
 */
const HOLD_MS = 10
/** New requests in one call. More would keep the store from its other clients for some milliseconds. */
const MOST_ASKS = 64

/**
 * Collects actions that no call has taken to the store yet, in order, so that one call carries many. The
 * first one goes at the end of the task that caused it: a later point would delay each request of a quiet
 * instance. What other sockets bring meanwhile finds that call in flight, and follows together. `send` makes
 * a call and never rejects.
 */
export function createOutbox(clock: Clock, send: (actions: readonly BudgetAction[]) => Promise<void>) {
  let actions: BudgetAction[] = []
  let inFlight = 0
  let isDue = false
  let cancelHold: (() => void) | undefined

  const flush = (): void => {
    cancelHold?.()
    cancelHold = undefined
    let asks = 0
    const rest = actions.findIndex(({ type }) => type === 'ask' && (asks += 1) > MOST_ASKS)
    const batch = actions.splice(0, rest < 0 ? actions.length : rest)
    inFlight += 1
    void send(batch).then(() => {
      inFlight -= 1
      flushRest()
    })
    if (actions.length > 0) hold()
  }

  const flushRest = (): void => {
    if (actions.length > 0) flush()
  }

  const hold = (): void => {
    cancelHold ??= clock.after(HOLD_MS, flush)
  }

  return {
    add(action: BudgetAction): void {
      actions.push(action)
      // All instances stop at once after a 429, and a process that ends waits for nothing.
      if (action.type === 'limited' || action.type === 'bye') {
        while (actions.length > 0) flush()
      } else if (inFlight > 0) hold()
      else if (!isDue) {
        isDue = true
        queueMicrotask(() => {
          isDue = false
          flushRest()
        })
      }
    },
    /** A request that has not been sent is not sent any more. */
    withdraw(id: string): void {
      actions = actions.filter((action) => action.type !== 'ask' || action.id !== id)
    },
    /** Makes a call now, also without an action. */
    flush,
  }
}
