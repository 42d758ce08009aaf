import type { Clock } from './platform.js'

/**
 * One timer for work that recurs while there is some: `set` sets it, unless it is set already. In a Cloudflare
 * Worker timers end with the request that set them: then a later `set` does the work that is overdue.
 */
export function createAlarm(clock: Clock, ms: number, work: () => void) {
  let cancel: (() => void) | undefined
  let dueAt = Infinity

  function stop(): void {
    cancel?.()
    cancel = undefined
    dueAt = Infinity
  }

  function run(): void {
    stop()
    work()
  }

  return {
    set(): void {
      if (clock.now() > dueAt + ms) run()
      if (cancel) return
      dueAt = clock.now() + ms
      cancel = clock.after(ms, run, false)
    },
    stop,
  }
}
