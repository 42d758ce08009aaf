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
  readonly priority: 'user' | 'background'
  readonly start: number
  readonly cost: number
}

const UNIT_COST = 1_000

/** Fair order of the requests of one priority. */
const createLane = () => ({
  virtual: 0,
  /** Start of the next request of each waiting user. */
  starts: new Map<string, number>(),
  /** End of each user's last grant, if it is ahead of virtual time. */
  ends: new Map<string, number>(),
  /** Sum of the weights of the waiting users. */
  weights: 0,
  /** Virtual time does not pass the end of the next request of any waiting user. */
  lowestEnd: Infinity,
})

/**
 * Start-time fair queueing by user: the user who has used least is next.
 *
 *   virtual time ->   0        1000       2000       3000
 *   ada               [ first ][ second  ][ third   ]         each request gets its user's next place;
 *   bob                        [ first   ]                    bob arrived at virtual time 1000
 *   order: ada 1, ada 2 and bob 1, ada 3
 *
 * A user with weight 2 has places of half the length. A request that leaves costs nothing. Background
 * requests come after all users, and have a virtual time of their own.
 *
 * A new user starts at virtual time. A grant advances it to its start, and at least by the length of a place
 * divided by the sum of all waiting users' weights: without this minimum, a stream of new users would stop
 * virtual time, and those who wait. It does not pass the end of any user's next request. So at most one
 * request of each waiting user is before the first request of a new user, whatever their weights are.
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
  const lanes = { user: createLane(), background: createLane() }

  const startOf = ({ user, priority = 'user' }: SlotUser): number => {
    const { virtual, starts, ends } = lanes[priority]
    const start = starts.get(user) ?? Math.max(virtual, ends.get(user) ?? 0)
    starts.set(user, start)
    return start
  }

  const isBefore = (one: Place<TWaiting>, other: Place<TWaiting>): boolean => {
    if (one.priority !== other.priority) return one.priority === 'user'
    if (one.start !== other.start) return one.start < other.start
    // At the same start: first the user who was granted less recently, then the request that arrived first.
    const { ends } = lanes[one.priority]
    return (ends.get(one.user) ?? -1) < (ends.get(other.user) ?? -1)
  }

  const places = (): Place<TWaiting>[] => {
    const nexts = { user: new Map<string, number>(), background: new Map<string, number>() }
    for (const lane of Object.values(lanes)) Object.assign(lane, { weights: 0, lowestEnd: Infinity })
    const all: Place<TWaiting>[] = []
    for (const request of waiting.keys()) {
      let best: Place<TWaiting> | undefined
      for (const user of request.users()) {
        const { weight = 1, priority = 'user' } = user
        const lane = lanes[priority]
        const cost = Math.round(UNIT_COST / weight)
        let start = nexts[priority].get(user.user)
        if (start === undefined) {
          // A user whose weight has grown is not further behind than one request.
          start = Math.max(startOf(user), lane.virtual - cost)
          lane.weights += weight
          lane.lowestEnd = Math.min(lane.lowestEnd, start + cost)
        }
        nexts[priority].set(user.user, start)
        const place = { request, user: user.user, priority, start, cost }
        if (!best || isBefore(place, best)) best = place
      }
      if (!best) continue
      nexts[best.priority].set(best.user, best.start + best.cost)
      all.push(best)
    }
    // Forget users who no longer wait.
    for (const priority of ['user', 'background'] as const)
      for (const user of lanes[priority].starts.keys())
        if (!nexts[priority].has(user)) lanes[priority].starts.delete(user)
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
      // First, because a request whose users cannot be read leaves at once.
      waiting.set(request, numbers)
      for (const user of request.users()) {
        if (numbers.has(user.user)) continue
        startOf(user)
        const count = counts.get(user.user) ?? { waiting: 0, left: 0 }
        counts.set(user.user, count)
        numbers.set(user.user, count.left + count.waiting)
        count.waiting += 1
      }
    },
    delete: remove,
    /** The number of waiting requests of its user; of several users, the lowest number. */
    countOf: (request: TWaiting): number => leastOf(request, (user) => counts.get(user)?.waiting ?? 0),
    /**
     * An upper bound of the requests before it: for the first request of a user always, for later ones if no
     * user has a weight.
     */
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
    /** Charges the request at the head, which is granted now, to its user. */
    charge({ user, priority, start, cost }: Place<TWaiting>): void {
      const lane = lanes[priority]
      const advance = Math.max(1, Math.floor(UNIT_COST / lane.weights))
      lane.virtual = Math.max(lane.virtual, start, Math.min(lane.virtual + advance, lane.lowestEnd))
      const { starts, ends, virtual } = lane
      const end = start + cost
      ends.set(user, end)
      starts.set(user, end)
      if (ends.size > 2 * starts.size + 100)
        for (const [name, at] of ends) if (at <= virtual) ends.delete(name)
    },
  }
}
