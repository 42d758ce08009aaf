import { Cancelled } from '../context/Cancellation.js'
import { newId } from '../context/newId.js'
import {
  type Load,
  type LoadedPage,
  type PageWaiter,
  SharedLoad,
  type SharedLoadOptions,
} from './SharedLoad.js'

/** Equal requests in flight share one upstream request. */
export function createSingleFlight(options: Omit<SharedLoadOptions, 'nextName'>) {
  /** Each is removed when it ends. */
  const loads = new Map<string, SharedLoad>()
  let instance: string | undefined
  let number = 0
  const nextName = (): string => {
    // Not at creation: Cloudflare Workers give no random number before the first request.
    instance ??= newId()
    return `${instance}.${(number += 1)}`
  }

  const start = (waiter: PageWaiter, load: Load): SharedLoad => {
    const { key } = waiter
    const shared = new SharedLoad({ ...options, nextName }, waiter, load)
    loads.set(key, shared)
    void shared.ended.then(() => {
      if (loads.get(key) === shared) loads.delete(key)
    })
    return shared
  }

  /**
   * The page of a load in flight with the same key, or of a new one. Errors go to the waiters of the time.
   */
  return async (waiter: PageWaiter, load: Load): Promise<LoadedPage> => {
    for (;;) {
      const running = loads.get(waiter.key)
      // A new waiter must not join a load that is being cancelled.
      const shared = running && !running.context.cancelled ? running : start(waiter, load)
      try {
        return await shared.join(waiter)
      } catch (thrown) {
        // The upstream request took too long for those who were there first. This waiter has time left.
        if (!(thrown instanceof Cancelled) || waiter.context.cancelled) throw thrown
      }
    }
  }
}
