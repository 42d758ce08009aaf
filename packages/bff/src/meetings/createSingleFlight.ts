import { untilCancelled } from '../context/Cancellation.js'
import type { RequestContext } from '../context/RequestContext.js'

export interface SharedResult<TValue> {
  readonly value: TValue
  /** True for all but the caller that started it. */
  readonly shared: boolean
}

interface SharedLoad<TValue> {
  readonly promise: Promise<TValue>
  /** The context of `load`. */
  readonly context: RequestContext
  /** The callers that wait for it, the first one included. */
  readonly waiters: Set<RequestContext>
}

type Load<TValue> = (context: RequestContext) => Promise<TValue>

/**
 * Returns the result of `load`, or of a running `load` with the same key. `load` has its own context: it is cancelled when the last waiter
 * leaves, and has the deadline of the waiter with the most time. Cancelling one waiter does not affect the others. Errors go to the current
 * waiters and are not stored.
 */
export type JoinFlight<TValue> = (
  key: string,
  context: RequestContext,
  load: Load<TValue>,
) => Promise<SharedResult<TValue>>

/** Equal requests in flight share one result. */
export function createSingleFlight<TValue>(): JoinFlight<TValue> {
  /** Those in flight: each is removed when it settles, or when no caller waits for it. */
  const loads = new Map<string, SharedLoad<TValue>>()

  const start = (key: string, first: RequestContext, load: Load<TValue>): SharedLoad<TValue> => {
    const context = first.fork(first.remainingMs())
    const promise = load(context).finally(() => {
      if (loads.get(key) === shared) loads.delete(key)
    })
    // Each waiter gets the rejection itself. Without waiters it must not become an unhandled rejection.
    promise.catch(() => undefined)
    const shared: SharedLoad<TValue> = { promise, context, waiters: new Set([first]) }
    loads.set(key, shared)
    return shared
  }

  /** Called whenever a waiter joins or leaves. */
  const updateDeadline = ({ context, waiters }: SharedLoad<TValue>): void => {
    context.deadlineAt = Math.max(...[...waiters].map((waiter) => waiter.deadlineAt))
  }

  return async (key, context, load) => {
    const running = loads.get(key)
    const shared = running ?? start(key, context, load)
    shared.waiters.add(context)
    updateDeadline(shared)
    try {
      return { value: await untilCancelled(shared.promise, context), shared: running !== undefined }
    } finally {
      context.stage = shared.context.stage
      shared.waiters.delete(context)
      if (shared.waiters.size > 0) updateDeadline(shared)
      else {
        // A new caller must not join a load that is being cancelled.
        if (loads.get(key) === shared) loads.delete(key)
        shared.context.cancel('no-waiters')
      }
    }
  }
}
