import type { BudgetState, QueuedRequest } from './BudgetState.js'
import type { Turn } from './Turn.js'
import { forget, KeyMap, KeySet, sortBy } from './tables.js'

/*
 * Start-time fair queueing by user. Each user's next grant has a virtual start: the end of the last one, or
 * the virtual time at which a user without requests came back to the queue. The smallest start goes first, so
 * 200 requests of one user wait for each other and not before other users. Only grants move a start, so a
 * request that leaves the queue costs its user nothing.
 */

/** Whether a request can be served: its instance is not late for its call. */
export function isPresent(turn: Turn, waiter: QueuedRequest): boolean {
  return turn.now <= (turn.state.dueAt[waiter.instance] ?? 0) + turn.rules.lateMs
}

/**
 * The same for a user's requests with the same call. The length keeps apart users whose names begin alike.
 */
export function userAndCall({ user, call, id }: QueuedRequest): string {
  return `${user.length} ${user} ${call ?? id}`
}

/** The calls that can be made, in order: of each the request that is served first. */
export function fairOrder(turn: Turn): QueuedRequest[] {
  const { state } = turn
  const present = state.waiters.filter((waiter) => isPresent(turn, waiter))
  const starts = new KeyMap<string, number>()
  const counted = new KeySet<string>()
  // A user pays once for a call.
  const isCounted = (waiter: QueuedRequest): boolean => {
    if (waiter.call === undefined) return false
    const key = userAndCall(waiter)
    if (counted.has(key)) return true
    counted.add(key)
    return false
  }
  turn.ranked = []
  // A user's own requests first, so that the refresh of a page never takes the place of a request of the same
  // user.
  for (const background of [false, true]) {
    const ranked: { waiter: QueuedRequest; start: number; arrival: number }[] = []
    let arrival = 0
    for (const waiter of present) {
      arrival += 1
      if (waiter.background === background && !isCounted(waiter)) {
        const start = starts.get(waiter.user) ?? startOf(state, waiter.user)
        starts.set(waiter.user, start + waiter.cost)
        ranked.push({ waiter, start, arrival })
      }
    }
    sortBy(ranked, (a, b) => (a.start === b.start ? a.arrival < b.arrival : a.start < b.start))
    for (const entry of ranked) turn.ranked.push(entry.waiter)
  }
  const calls = new KeySet<string>()
  const queue: QueuedRequest[] = []
  for (const waiter of turn.ranked) {
    if (waiter.call === undefined) queue.push(waiter)
    else if (!calls.has(waiter.call)) {
      calls.add(waiter.call)
      queue.push(waiter)
    }
  }
  return queue
}

/**
 * Moves the virtual time on for one grant of the queue, by its share of the users that wait, as in weighted
 * fair queueing. By the start alone, a stream of new users would hold it back, and users that were served
 * once would wait for ever.
 */
export function countGrant(
  state: BudgetState,
  granted: QueuedRequest,
  queue: readonly QueuedRequest[],
): void {
  const start = startOf(state, granted.user)
  const seen = new KeySet<string>()
  let users = 0
  for (const waiter of queue) {
    if (!seen.has(waiter.user)) users += 1
    seen.add(waiter.user)
  }
  state.virtual = Math.max(start, state.virtual + Math.max(1, Math.floor(granted.cost / users)))
  state.tags[granted.user] = start + granted.cost
}

/**
 * Sets the start of a user that comes to the queue, or comes back to it: it has kept its place since `start`.
 */
export function enqueue(state: BudgetState, user: string, start: number = state.virtual): void {
  state.tags[user] ??= Math.min(start, state.virtual)
}

/** Removes users that do not wait and are no longer ahead of the virtual time; all users if none waits. */
export function forgetUsers(state: BudgetState): void {
  const waiting = new KeySet<string>()
  for (const waiter of state.waiters) waiting.add(waiter.user)
  const { tags } = state
  if (state.waiters.length === 0)
    for (const user in tags) state.virtual = Math.max(state.virtual, tags[user] ?? 0)
  for (const user in tags) if ((tags[user] ?? 0) <= state.virtual && !waiting.has(user)) forget(tags, user)
}

export function startOf(state: BudgetState, user: string): number {
  return state.tags[user] ?? state.virtual
}
