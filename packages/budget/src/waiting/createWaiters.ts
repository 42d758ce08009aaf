import type { Waiter } from './Waiter.js'

/** The requests of this instance that wait. */
export function createWaiters() {
  const waiters = new Map<string, Waiter>()
  const all = (): Waiter[] => Array.from(waiters.values())

  return {
    get size(): number {
      return waiters.size
    },
    get: (id: string): Waiter | undefined => waiters.get(id),
    add: (waiter: Waiter): void => void waiters.set(waiter.id, waiter),
    delete: (id: string): void => void waiters.delete(id),
    all,
    ofCall: (call: string): Waiter[] => all().filter((waiter) => waiter.call === call),
    /** How many calls they want. */
    calls: (): number => new Set(all().map((waiter) => waiter.call ?? waiter.id)).size,
    /**
     * Covered requests that are to be offered next: at most so many of a call, and in all. Each goes behind
     * the others that are covered.
     */
    takeCovered(ofACall: number, most: number, call?: string): Waiter[] {
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
