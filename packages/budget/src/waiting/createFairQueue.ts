import type { SlotUser } from './Budget.js'

/** A request that waits for a slot. */
export interface Waiting {
  /** The users who wait for it at present. */
  users(): Iterable<SlotUser>
  /** Time for which it can still wait. A slot that comes later is too late to be used. */
  remainingMs(): number
}

/** The place of a request in the queue: the best place of all its users. That user is charged. */
export interface Place<TWaiting> {
  readonly request: TWaiting
  readonly user: string
  readonly background: boolean
  readonly start: number
  readonly cost: number
}

const UNIT_COST = 1_000

/**
 * Start-time fair queueing by user: the user who has used least is next.
 *
 *   virtual time ->   0        1000       2000       3000
 *   ada               [ first ][ second  ][ third   ]         each request gets its user's next place;
 *   bob                        [ first   ]                    bob arrived at virtual time 1000
 *   order: ada 1, ada 2 and bob 1, ada 3
 *
 * A grant advances virtual time to its start, and at least by its cost divided by the number of waiting
 * users. Without this minimum, a stream of new users would stop virtual time. A request that leaves costs
 * nothing. Background requests come after all users.
 *
 * Adding, removing and counting take constant time. Finding the next request looks at all requests, once for
 * each turn.
 */
export function createFairQueue<TWaiting extends Waiting>() {
  /**
   * The requests in order of arrival. For each request: its users at that time, with its number among the
   * requests of that user.
   */
  const waiting = new Map<TWaiting, ReadonlyMap<string, number>>()
  /**
   * For each user: requests that wait, and requests that have left since the first of the waiting ones
   * arrived.
   */
  const counts = new Map<string, { waiting: number; left: number }>()
  /** Start of the next request of each waiting user: for priority `user`, and for `background`. */
  const starts = [new Map<string, number>(), new Map<string, number>()] as const
  /** End of each user's last grant, if it is ahead of virtual time. */
  const ends = new Map<string, number>()
  let virtual = 0

  const startOf = ({ user, priority }: SlotUser): number => {
    const known = starts[priority === 'background' ? 1 : 0]
    const start = known.get(user) ?? Math.max(virtual, ends.get(user) ?? 0)
    known.set(user, start)
    return start
  }

  const isBefore = (one: Place<TWaiting>, other: Place<TWaiting>): boolean => {
    if (one.background !== other.background) return other.background
    if (one.start !== other.start) return one.start < other.start
    // At the same start: first the user who was granted less recently, then the request that arrived first.
    return (ends.get(one.user) ?? -1) < (ends.get(other.user) ?? -1)
  }

  const places = (): Place<TWaiting>[] => {
    const nexts = [new Map<string, number>(), new Map<string, number>()] as const
    const all: Place<TWaiting>[] = []
    for (const request of waiting.keys()) {
      let best: Place<TWaiting> | undefined
      for (const user of request.users()) {
        const { weight = 1, priority } = user
        const background = priority === 'background'
        const next = nexts[background ? 1 : 0]
        const start = next.get(user.user) ?? startOf(user)
        next.set(user.user, start)
        const cost = Math.max(1, Math.min(UNIT_COST ** 2, Math.round(UNIT_COST / weight)))
        const place = { request, user: user.user, background, start, cost }
        if (!best || isBefore(place, best)) best = place
      }
      if (!best) continue
      nexts[best.background ? 1 : 0].set(best.user, best.start + best.cost)
      all.push(best)
    }
    // Forget users who no longer wait.
    for (const [index, known] of starts.entries())
      for (const user of known.keys()) if (!nexts[index]?.has(user)) known.delete(user)
    return all
  }

  const remove = (request: TWaiting): void => {
    for (const user of waiting.get(request)?.keys() ?? []) {
      const count = counts.get(user)
      if (!count) continue
      count.waiting -= 1
      count.left += 1
      if (count.waiting === 0) counts.delete(user)
    }
    waiting.delete(request)
  }

  /** The lowest number of all users of a request. */
  const leastOf = (request: TWaiting, numberOf: (user: string, number: number) => number): number => {
    let least = Infinity
    for (const [user, number] of waiting.get(request) ?? []) least = Math.min(least, numberOf(user, number))
    return least
  }

  return {
    get size(): number {
      return waiting.size
    },
    has: (request: TWaiting): boolean => waiting.has(request),
    [Symbol.iterator]: (): Iterator<TWaiting> => waiting.keys(),
    add(request: TWaiting): void {
      const numbers = new Map<string, number>()
      for (const user of request.users()) {
        if (numbers.has(user.user)) continue
        startOf(user)
        const count = counts.get(user.user) ?? { waiting: 0, left: 0 }
        counts.set(user.user, count)
        numbers.set(user.user, count.left + count.waiting)
        count.waiting += 1
      }
      waiting.set(request, numbers)
    },
    delete: remove,
    /** The number of waiting requests of its user; of several users, the lowest number. */
    countOf: (request: TWaiting): number => leastOf(request, (user) => counts.get(user)?.waiting ?? 0),
    /** An upper bound of the requests before it, if no user has a weight. */
    placeOf(request: TWaiting): number {
      const [first] = request.users()
      if (first?.priority === 'background') return waiting.size - 1
      const before = leastOf(request, (user, number) => Math.max(0, number - (counts.get(user)?.left ?? 0)))
      return Math.min(waiting.size - 1, (before + 1) * counts.size - 1)
    },
    head: (): Place<TWaiting> | undefined =>
      places().reduce<Place<TWaiting> | undefined>(
        (best, place) => (!best || isBefore(place, best) ? place : best),
        undefined,
      ),
    /** The last requests, for which a queue of this length has no space. */
    beyond(length: number): readonly TWaiting[] {
      if (waiting.size <= length) return []
      const sorted = places().toSorted((one, other) =>
        isBefore(one, other) ? -1 : isBefore(other, one) ? 1 : 0,
      )
      return sorted.slice(length).map(({ request }) => request)
    },
    /** Charges a granted request to its user. */
    charge({ user, background, start, cost }: Place<TWaiting>): void {
      const users = Math.max(1, starts[0].size + starts[1].size)
      virtual = Math.max(virtual, start, virtual + Math.max(1, Math.floor(cost / users)))
      const end = start + cost
      ends.set(user, end)
      starts[background ? 1 : 0].set(user, end)
      if (ends.size > 2 * users + 100) for (const [name, at] of ends) if (at <= virtual) ends.delete(name)
    },
  }
}
