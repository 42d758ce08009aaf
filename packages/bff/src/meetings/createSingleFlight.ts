import { CallEnded, untilEnded } from '../context/Cancellation.js'
import { Call } from '../context/RequestContext.js'

export interface Flight<TValue> {
  readonly value: TValue
  /** True for all but the caller who set it off. */
  readonly shared: boolean
}

interface Entry<TValue> {
  readonly promise: Promise<TValue>
  /** What `load` works under. */
  readonly shared: Call
  /** The callers who wait for it, the first one included. */
  readonly waiters: Set<Call>
}

/** Lets equal calls in flight be one. */
export interface SingleFlight<TValue> {
  /**
   * The result of `load`, or of the call under the same key that is under way. `load` gets a call of its own: it is aborted when the last
   * waiter has left, and its deadline is that of the waiter with the most time. One waiter's end rejects nobody else; failures go to
   * those who wait and are not kept.
   */
  join(key: string, call: Call, load: (shared: Call) => Promise<TValue>): Promise<Flight<TValue>>
}

export function createSingleFlight<TValue>(): SingleFlight<TValue> {
  /** As many as there are calls in flight: entries go when they settle, or when nobody waits. */
  const entries = new Map<string, Entry<TValue>>()

  const start = (key: string, first: Call, load: (shared: Call) => Promise<TValue>): Entry<TValue> => {
    const waiters = new Set([first])
    const shared = new Call(first.id, () => Math.max(...[...waiters].map((waiter) => waiter.remainingMs())))
    shared.stage = first.stage
    const promise = load(shared).finally(() => {
      if (entries.get(key) === entry) entries.delete(key)
    })
    // Each waiter sees the failure through its own race; with none left it is nobody's.
    promise.catch(() => undefined)
    const entry: Entry<TValue> = { promise, shared, waiters }
    entries.set(key, entry)
    return entry
  }

  return {
    async join(key, call, load) {
      const running = entries.get(key)
      const entry = running ?? start(key, call, load)
      entry.waiters.add(call)
      try {
        return { value: await untilEnded(entry.promise, call), shared: running !== undefined }
      } finally {
        call.stage = entry.shared.stage
        entry.waiters.delete(call)
        if (entry.waiters.size === 0) {
          // A newcomer must not board a call that is being given up.
          if (entries.get(key) === entry) entries.delete(key)
          entry.shared.end(new CallEnded('nobody-waits'))
        }
      }
    },
  }
}
