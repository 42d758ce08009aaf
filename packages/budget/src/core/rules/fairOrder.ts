import type { BudgetState, QueuedRequest } from '../BudgetState.js'
import type { Turn } from '../Turn.js'

/*
 * Start-time fair queueing by user. Each user's next grant has a virtual start: the end of the last one, or the virtual time at which a user
 * without requests came back to the queue. The smallest start goes first, so 200 requests of one user wait for each other and not before
 * other users. Only grants move a start, so a request that leaves the queue costs its user nothing.
 */

/** Whether a request can be served: its instance is not late for its call. */
export function isPresent({ state, rules, now }: Turn, waiter: QueuedRequest): boolean {
  return now <= (state.dueAt[waiter.instance] ?? 0) + rules.lateMs
}

/** The calls that can be made, in order: of each the request that is served first. */
export function fairOrder(turn: Turn): QueuedRequest[] {
  const { state } = turn
  const present = state.waiters.filter((waiter) => isPresent(turn, waiter))
  const ranked: { waiter: QueuedRequest; start: number; arrival: number }[] = []
  const starts = new Map<string, number>()
  const counted = new Set<string>()
  // A user's own requests first, so that the refresh of a page never takes the place of a request of the same user.
  for (const background of [false, true]) {
    for (const [arrival, waiter] of present.entries()) {
      if (waiter.background !== background) continue
      // A user pays once for a call.
      if (waiter.call !== undefined) {
        const key = `${waiter.user} ${waiter.call}`
        if (counted.has(key)) continue
        counted.add(key)
      }
      const start = starts.get(waiter.user) ?? startOf(state, waiter.user)
      starts.set(waiter.user, start + waiter.cost)
      ranked.push({ waiter, start, arrival })
    }
  }
  ranked.sort(
    (a, b) =>
      Number(a.waiter.background) - Number(b.waiter.background) || a.start - b.start || a.arrival - b.arrival,
  )
  turn.ranked = ranked.map(({ waiter }) => waiter)
  const calls = new Set<string>()
  const queue: QueuedRequest[] = []
  for (const { waiter } of ranked) {
    if (waiter.call !== undefined && calls.has(waiter.call)) continue
    if (waiter.call !== undefined) calls.add(waiter.call)
    queue.push(waiter)
  }
  return queue
}

/**
 * Moves the virtual time on for one grant of the queue, by its share of the users that wait, as in weighted fair queueing. By the start alone,
 * a stream of new users would hold it back, and users that were served once would wait for ever.
 */
export function countGrant(
  state: BudgetState,
  granted: QueuedRequest,
  queue: readonly QueuedRequest[],
): void {
  const start = startOf(state, granted.user)
  const users = new Set(queue.map((waiter) => waiter.user)).size
  state.virtual = Math.max(start, state.virtual + Math.max(1, Math.floor(granted.cost / users)))
  state.tags[granted.user] = start + granted.cost
}

/** Sets the start of a user that comes to the queue, or comes back to it: it has kept its place since `start`. */
export function enqueue(state: BudgetState, user: string, start: number = state.virtual): void {
  state.tags[user] ??= Math.min(start, state.virtual)
}

/** Removes users that do not wait and are no longer ahead of the virtual time; all users if none waits. */
export function forgetUsers(state: BudgetState): void {
  const waiting = new Set(state.waiters.map((waiter) => waiter.user))
  if (waiting.size === 0) state.virtual = Math.max(state.virtual, ...Object.values(state.tags))
  for (const [user, tag] of Object.entries(state.tags))
    if (tag <= state.virtual && !waiting.has(user)) delete state.tags[user]
}

export function startOf(state: BudgetState, user: string): number {
  return state.tags[user] ?? state.virtual
}
