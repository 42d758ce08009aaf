import type { BudgetState, WaitingRequest } from './BudgetState.js'
import type { BudgetRules } from './protocol.js'

/*
 * Start-time fair queueing by user. Each user's next grant has a virtual start: where its last one ended, or the virtual time at which a
 * user who was away came into line. The smallest start goes first, so 200 requests of one user stand behind each other and not before anybody else.
 * Starts move on with grants alone: a request that leaves the line costs its user nothing.
 */

/** Everybody who can be served, in the order of service. Waiters of an instance that is late for its call are passed over. */
export function fairOrder(state: BudgetState, rules: BudgetRules, now: number): WaitingRequest[] {
  const present = state.waiters.filter((waiter) => now <= (state.dueAt[waiter.instance] ?? 0) + rules.lateMs)
  const ranked: { waiter: WaitingRequest; start: number; arrival: number }[] = []
  const starts = new Map<string, number>()
  // A user's own requests first, so that the refresh of a page never takes the place of a request of the same user.
  for (const background of [false, true]) {
    for (const [arrival, waiter] of present.entries()) {
      if (waiter.background !== background) continue
      const start = starts.get(waiter.user) ?? startOf(state, waiter.user)
      starts.set(waiter.user, start + waiter.cost)
      ranked.push({ waiter, start, arrival })
    }
  }
  ranked.sort(
    (a, b) =>
      Number(a.waiter.background) - Number(b.waiter.background) || a.start - b.start || a.arrival - b.arrival,
  )
  return ranked.map(({ waiter }) => waiter)
}

/**
 * Moves the virtual time on for one grant out of `line`. By its share of those who wait, as in weighted fair queueing: by the start
 * alone, a stream of newcomers would hold it back for ever and starve everybody who has been served once.
 */
export function countGrant(
  state: BudgetState,
  granted: WaitingRequest,
  line: readonly WaitingRequest[],
): void {
  const start = startOf(state, granted.user)
  const users = new Set(line.map((waiter) => waiter.user)).size
  state.virtual = Math.max(start, state.virtual + Math.max(1, Math.floor(granted.cost / users)))
  state.tags[granted.user] = start + granted.cost
}

/** Notes where a user comes into line. */
export function joinLine(state: BudgetState, user: string): void {
  state.tags[user] ??= state.virtual
}

/** Forgets users who do not wait and are no longer ahead of the virtual time; where nobody waits, all of them. */
export function forgetUsers(state: BudgetState): void {
  const waiting = new Set(state.waiters.map((waiter) => waiter.user))
  if (waiting.size === 0) state.virtual = Math.max(state.virtual, ...Object.values(state.tags))
  for (const [user, tag] of Object.entries(state.tags))
    if (tag <= state.virtual && !waiting.has(user)) delete state.tags[user]
}

function startOf(state: BudgetState, user: string): number {
  return state.tags[user] ?? state.virtual
}
