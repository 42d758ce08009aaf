import type { Waiter } from './Waiter.js'

/** The requests of this instance that wait. */
export interface Waiters {
  readonly size: number
  get(id: string): Waiter | undefined
  add(waiter: Waiter): void
  delete(id: string): void
  all(): Waiter[]
  ofCall(call: string): Waiter[]
  /** How many calls they want. */
  calls(): number
  /** Covered requests that are to be offered next: at most so many of a call, and in all. Each comes to the end of the line for it. */
  takeCovered(ofACall: number, most: number, call?: string): Waiter[]
}

export function createWaiters(): Waiters {
  const waiters = new Map<string, Waiter>()
  const all = (): Waiter[] => Array.from(waiters.values())

  return {
    get size() {
      return waiters.size
    },
    get: (id) => waiters.get(id),
    add: (waiter) => void waiters.set(waiter.id, waiter),
    delete: (id) => void waiters.delete(id),
    all,
    ofCall: (call) => all().filter((waiter) => waiter.call === call),
    calls: () => new Set(all().map((waiter) => waiter.call ?? waiter.id)).size,
    takeCovered(ofACall, most, call) {
      const counts = new Map<string | undefined, number>()
      const taken: Waiter[] = []
      for (const waiter of all()) {
        if (waiter.status !== 'covered' || (call !== undefined && waiter.call !== call)) continue
        const count = counts.get(waiter.call) ?? 0
        if (count === ofACall) continue
        counts.set(waiter.call, count + 1)
        taken.push(waiter)
        waiters.delete(waiter.id)
        waiters.set(waiter.id, waiter)
        if (taken.length === most) break
      }
      return taken
    },
  }
}
