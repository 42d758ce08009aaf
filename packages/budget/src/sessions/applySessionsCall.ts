/** The numbers of an account, the same in all of its instances. */
export interface Rules {
  /** Sessions that the service allows at once, if it is known; 0 if it is learned. */
  readonly max: number
  /** Sessions that stay free, for other programs on the same account. */
  readonly reserve: number
  /** Sessions that one user may have at once. */
  readonly perUser: number
}

/**
 * - `ask`: a place in the queue, or a lease. Again with the same id: the place now.
 * - `renew`: the holder of a lease is still there, and its socket is in `holds`.
 * - `release`: the socket is closed.
 * - `refused`: the service had no room for this session. The id is in the queue again, at its old place.
 * - `end`: leases that match `user`, `id`, or neither, get no renewal for `forMs`.
 * - `look`: nothing; it keeps the instance counted, and returns the gauge. With a `user`: whether that one's
 *   sessions were ended.
 */
export type Action = 'ask' | 'renew' | 'release' | 'refused' | 'end' | 'look'

/** The socket of a lease. `parked`: it is closed in silence, and may open again at any time. */
export type Holds = 'opening' | 'open' | 'parked'

/** One call of an instance to the store. Only the parts of its action are used. */
export interface Call extends Rules {
  readonly instance: string
  /** True for the last call of an instance. */
  readonly leaves: boolean
  /** `born` of the last reply; 0 if there was none. */
  readonly born: number
  /** The first call after the state was out of reach: leases may have been given or renewed without it. */
  readonly returns: boolean
  readonly action: Action
  readonly id: string
  readonly user: string
  readonly weight: number
  readonly holds: Holds
  /** The page of the holder is in the background, where timers run once a minute. */
  readonly isHidden: boolean
  /** Text of the caller, stored with the lease; of `end`: its reason. */
  readonly note: string
  readonly forMs: number
  /** True if the reply should list the leases. */
  readonly lists: boolean
}

/**
 * A request and its lease: one entry under one id.
 *
 *   asking ──▶ opening ◀──▶ open ──▶ closing ──▶ (gone)
 *     ▲           │ ▲         │
 *     │  refused  │ └─ parked ◀┘
 *     └───────────┘      │ others wait
 *   asking ◀── asleep ◀──┘
 *
 * asking   waits, in the queue
 * asleep   had a lease, which was taken back in silence; it keeps its place
 * opening, open, parked   a lease
 * closing  released, but the service may still count it for a moment
 */
interface Entry {
  user: string
  weight: number
  status: 'asking' | 'asleep' | 'closing' | Holds
  /** Time of the first request: its place among the requests of its user. */
  askedAt: number
  /** Its place among users of equal share: the same, or the time of the user's last lease if that is later. */
  turnAt: number
  /** Time of the last call about it. */
  seenAt: number
  /** It is deleted at this time. */
  until: number
  /** An entry that asks has promised to ask again within this time. */
  retryMs: number
  /** When the lease began, and when `status` changed. */
  since: number
  statusAt: number
  /** A lease above the number, as a trial. */
  isTrial: boolean
  /** No renewal any more, and the reason. */
  isEnded: boolean
  endNote: string
  /** The last checkpoint at which its socket was surely open. */
  checkedAt: number
  note: string
}

/** The state of an account, in Redis or in this process. Its times are those of its own clock. */
export interface State {
  /** Times of its creation and of its last call. */
  born: number
  at: number
  /** `askedAt` of the last new request. Each is later than the one before, so their order is kept. */
  askedAt: number
  /** No new lease before this time, because holders of leases that were lost have not renewed them yet. */
  settledAt: number
  /** Sessions that the service allows at once, as far as it is known; -1: it never refused one. */
  number: number
  /** Most sessions that were surely open at one moment. */
  proven: number
  /** Time of the last trial or refusal, time until the next trial, and number of leases that may be on trial. */
  triedAt: number
  gapMs: number
  trials: number
  /** Time of the last refusal, and since when the number has been below `proven`. */
  refusedAt: number
  lowerSince: number
  /** Time of the last release, and how much longer the service counts a closed session. */
  releasedAt: number
  lingerMs: number
  /** Usual time between two ends of leases. 0: not known. */
  paceMs: number
  /** Time of the last checkpoint, and the leases that were open then and were heard of since. */
  checkedAt: number
  checked: number
  readonly entries: Map<string, Entry>
  /** Users and ids whose sessions were ended, with the time until which they get none, and the reason. */
  readonly ends: Map<string, End>
  /** Time of each instance's last call. */
  readonly instances: Map<string, number>
}

interface End {
  readonly until: number
  readonly note: string
}

/** A lease in a list. */
export interface Listed {
  readonly id: string
  readonly user: string
  readonly forMs: number
  readonly note: string
}

/** What a call returns. */
export interface Reply {
  /**
   * - `leased`: the entry has a lease.
   * - `queued`: it waits at `place` of `of`.
   * - `asleep`: its lease was taken back. Ask when it is needed.
   * - `ended`: no lease for `waitMs`.
   * - `foreign`: the id belongs to another user.
   * - `unknown`: there is no such lease.
   * - `user-full`, `full`: too many requests wait.
   * - `done`: the action has no such result.
   */
  readonly status:
    'leased' | 'queued' | 'asleep' | 'ended' | 'foreign' | 'unknown' | 'user-full' | 'full' | 'done'
  readonly place: number
  readonly of: number
  /** When to ask or to renew again. */
  readonly waitMs: number
  /** Of a new lease: time since its request. Of one that is renewed or released: time since it began. */
  readonly forMs: number
  /** The reason of `ended`. */
  readonly note: string
  readonly born: number
  readonly instances: number
  /** Leases, requests that wait, and leases that may be given at once. -1: the number is not known. */
  readonly leased: number
  readonly waiting: number
  readonly number: number
  /** The number has been lower than what was proven for this time. */
  readonly lowerMs: number
  readonly list: readonly Listed[]
}

/** A lease ends this long after its last renewal, also of a page in the background. */
export const LEASE_MS = 25_000
export const HIDDEN_LEASE_MS = 75_000
export const RENEW_MS = 10_000
/** A place in the queue ends this long after its last answer. */
export const TICKET_MS = 75_000
export const MOST_TICKETS = 5
export const MOST_WAITING = 1_000
export const SHORTEST_WAIT_MS = 1_000
export const LONGEST_WAIT_MS = 10_000
/** A request that is this much later than it promised does not delay other requests. */
export const OVERDUE_MS = 1_500
/** While others wait, a lease in silence is taken back after this time. */
export const PARKED_MS = 10_000
/** After the state was lost or out of reach, all holders have renewed their leases within this time. */
export const RETURN_MS = 12_000
/** A socket opens within this time, or not at all. */
export const OPENING_MS = 12_000
/** Time between two trials: below what is proven, and above it. It doubles with each refusal. */
export const FIRST_GAP_MS = 4_000
export const LONGEST_GAP_MS = 30_000
export const ABOVE_GAP_MS = 60_000
export const LONGEST_ABOVE_GAP_MS = 600_000
export const MOST_TRIALS = 16
/** Within this time each holder is heard of, also one in the background. */
export const CHECK_MS = 75_000
/** A refusal so soon after a release teaches that the service counts a closed session longer. */
export const FIRST_LINGER_MS = 150
export const LONGEST_LINGER_MS = 1_500
/** An instance that has not called for this time is not counted. */
export const GONE_MS = 60_000

const newNumbers = () => ({
  born: 0,
  at: 0,
  askedAt: 0,
  settledAt: 0,
  number: -1,
  proven: 0,
  triedAt: 0,
  gapMs: FIRST_GAP_MS,
  trials: 1,
  refusedAt: 0,
  lowerSince: 0,
  releasedAt: 0,
  lingerMs: 0,
  paceMs: 0,
  checkedAt: 0,
  checked: 0,
})

export const newState = (): State => ({
  ...newNumbers(),
  entries: new Map(),
  ends: new Map(),
  instances: new Map(),
})

const NO_END: End = { until: 0, note: '' }

const LEASES: readonly Entry['status'][] = ['opening', 'open', 'parked', 'closing']
const USED: readonly Entry['status'][] = ['opening', 'open']

/** A request in the queue. */
interface Place {
  readonly id: string
  readonly entry: Entry
  /** Sessions and earlier requests of its user, divided by the user's weight. */
  readonly share: number
}

/*
 * The number of sessions that the service allows.
 *
 *   unknown ──a refusal──▶ number = the other leases whose sockets open or are open; it may be 0
 *                            ▲ │
 *       a refusal of a lease │ │ after a gap, one lease more as a trial: below what is proven after 4 s,
 *       that was no trial    │ │ above it after a minute. A trial that is refused doubles the gap.
 *                            └─┘ A trial that opens: below, the number grows; above, it must be proven.
 *
 * A number is proven if so many sockets were open at one moment, the checkpoint: each of them was open before
 * it, and was heard of after it. A lease that has run out proves nothing, because its socket may have been
 * closed long before.
 */

/**
 * Runs a call. `sessionsScript.ts` has the same steps, in the same order and with the same names, for Redis,
 * and a test compares the two: change both.
 */
export function applySessionsCall(state: State, call: Call, now: number): Reply {
  const { entries, ends, instances } = state

  // 1. The state was lost or out of reach, or its clock stepped back. Holders of leases that it does not know
  // renew them soon.
  const isNew = state.born === 0
  if (isNew || now < state.at) {
    Object.assign(state, newNumbers())
    entries.clear()
    ends.clear()
    state.born = now
    state.settledAt = isNew ? now : now + RETURN_MS
  }
  if (call.born > 0 && call.born !== state.born)
    state.settledAt = Math.max(state.settledAt, state.born + RETURN_MS)
  if (call.returns) state.settledAt = now + RETURN_MS
  state.at = now

  // 2. What has run out.
  for (const [id, entry] of entries) if (entry.until <= now) entries.delete(id)
  for (const [key, { until }] of ends) if (until <= now) ends.delete(key)
  instances.set(call.instance, now)
  for (const [name, at] of instances)
    if (now - at > GONE_MS || (call.leaves && name === call.instance)) instances.delete(name)
  if (now - state.checkedAt >= CHECK_MS) {
    state.checkedAt = now
    state.checked = 0
  }

  // 3. The numbers. `surely`: the number that was proven, or that of the host.
  const ceiling = call.max > 0 ? Math.max(1, call.max - call.reserve) : Infinity
  const surely = call.max > 0 ? ceiling : Math.max(1, state.proven)
  const numberNow = (): number => Math.min(ceiling, state.number >= 0 ? state.number : Infinity)
  const count = (isCounted: (entry: Entry) => boolean): number =>
    [...entries.values()].filter(isCounted).length
  const isLease = ({ status }: Entry): boolean => LEASES.includes(status)
  const used = (): number => count(({ status, isTrial }) => USED.includes(status) && !isTrial)

  /** The end that lasts longest. */
  function endOf(user: string, id: string): End {
    let longest: End = NO_END
    for (const key of ['all', `user ${user}`, `id ${id}`]) {
      const end = ends.get(key) ?? NO_END
      if (end.until > longest.until) longest = end
    }
    return longest
  }

  const ended = (entry?: Entry): Answer => {
    const { until, note } = endOf(call.user, call.id)
    const isNow = until > now
    return { ...answer('ended', isNow ? until - now : 0), note: isNow ? note : (entry?.endNote ?? '') }
  }

  /** Its socket was open at the checkpoint, and is still. */
  function check(entry: Entry): void {
    if (entry.status !== 'open' || entry.statusAt > state.checkedAt) return
    if (entry.checkedAt === state.checkedAt) return
    entry.checkedAt = state.checkedAt
    state.checked += 1
    const open = Math.min(state.checked, ceiling)
    state.proven = Math.max(state.proven, open)
    // A later refusal knows better.
    if (state.number < 0 || state.number >= open || state.refusedAt >= state.checkedAt) return
    state.number = open
    for (const one of entries.values()) one.isTrial = false
  }

  const setStatus = (entry: Entry, status: Entry['status']): void => {
    if (entry.status === status) return
    if (status === 'open' && entry.isTrial) {
      state.gapMs = ABOVE_GAP_MS
      if (state.number < surely) {
        state.number += 1
        entry.isTrial = false
        state.gapMs = FIRST_GAP_MS
        state.trials = Math.min(state.trials * 2, MOST_TRIALS)
      }
    }
    entry.status = status
    entry.statusAt = now
  }

  const newEntry = (): Entry => {
    state.askedAt = Math.max(now, state.askedAt + 1)
    const entry: Entry = {
      user: call.user,
      weight: call.weight,
      status: 'asking',
      askedAt: state.askedAt,
      turnAt: state.askedAt,
      seenAt: now,
      until: now + TICKET_MS,
      retryMs: 0,
      since: now,
      statusAt: now,
      isTrial: false,
      isEnded: false,
      endNote: '',
      checkedAt: 0,
      note: call.note,
    }
    entries.set(call.id, entry)
    return entry
  }

  const keep = (entry: Entry): void => {
    entry.seenAt = now
    entry.until = now + (isLease(entry) ? (call.isHidden ? HIDDEN_LEASE_MS : LEASE_MS) : TICKET_MS)
  }

  /** The requests that may be next, in fair order. A user who has all sessions that one may have waits apart. */
  function lineNow(): Place[] {
    const counts = new Map<string, number>()
    for (const entry of entries.values())
      if (isLease(entry)) counts.set(entry.user, (counts.get(entry.user) ?? 0) + 1)
    const asking = [...entries].filter(([, { status }]) => status === 'asking')
    asking.sort(([a, one], [b, other]) => one.askedAt - other.askedAt || (a < b ? -1 : 1))
    const places: Place[] = []
    for (const [id, entry] of asking) {
      const before = counts.get(entry.user) ?? 0
      counts.set(entry.user, before + 1)
      if (before < call.perUser) places.push({ id, entry, share: before / entry.weight })
    }
    return places.toSorted(
      (one, other) =>
        one.share - other.share || one.entry.turnAt - other.entry.turnAt || (one.id < other.id ? -1 : 1),
    )
  }

  /** Takes back the lease that has been silent for longest. */
  function takeBack(): boolean {
    let found: Entry | undefined
    for (const entry of entries.values())
      if (entry.status === 'parked' && now - entry.statusAt > PARKED_MS)
        if (!found || entry.statusAt < found.statusAt) found = entry
    if (!found) return false
    setStatus(found, 'asleep')
    return true
  }

  /** Leases that may be given now, and how many more as trials. Below 0: there are more than the number. */
  function roomNow(): { room: number; trials: number } {
    const limit = numberNow()
    // Answers of earlier openings are still to come, or holders may still renew what was lost.
    const isUnsettled =
      now < state.settledAt ||
      count(
        ({ status, statusAt }) =>
          status === 'opening' && statusAt <= state.refusedAt && now - statusAt < OPENING_MS,
      ) > 0
    if (isUnsettled) return { room: -1, trials: 0 }
    const leases = count(isLease)
    const onTrial = count((entry) => isLease(entry) && entry.isTrial)
    // Trials never exceed `max`, and sessions that were open without a lease count too.
    const left = ceiling - leases
    const room = Math.min(limit - leases + onTrial, left)
    const mayTry =
      room <= 0 &&
      limit < ceiling &&
      now - state.triedAt > state.gapMs &&
      count(({ status }) => status === 'parked') === 0
    return { room, trials: mayTry ? Math.min(state.trials - onTrial, left) : 0 }
  }

  /** Without `mayLease` it gets a place, also if a session is free. */
  function queue(entry: Entry, mayLease = true): Answer {
    keep(entry)
    const line = lineNow()
    const of = count(({ status }) => status === 'asking')
    const index = line.findIndex(({ id }) => id === call.id)
    const wait = (waitMs: number, place: number): Answer => {
      entry.retryMs = waitMs
      return { ...answer('queued', waitMs), place, of }
    }
    if (index === -1) return wait(LONGEST_WAIT_MS, of)
    // A request that is late keeps its place, and does not delay other requests.
    const rank = line
      .slice(0, index)
      .filter((before) => now <= before.entry.seenAt + before.entry.retryMs + OVERDUE_MS).length
    const { room, trials } = roomNow()
    const isGiven = mayLease && (rank < room || (rank === room && takeBack()))
    if (isGiven || (mayLease && rank < trials)) {
      setStatus(entry, 'opening')
      entry.since = now
      entry.isTrial = !isGiven
      if (entry.isTrial) state.triedAt = now
      keep(entry)
      for (const one of entries.values())
        if (one.status === 'asking' && one.user === entry.user) one.turnAt = now
      return { ...answer('leased', RENEW_MS), forMs: now - Math.min(now, entry.askedAt) }
    }
    const soon = Math.max(1, Math.min(numberNow(), MOST_WAITING))
    const expectedMs = state.paceMs > 0 ? (rank * state.paceMs) / 2 : SHORTEST_WAIT_MS * (1 + rank - soon)
    const laterMs = Math.floor(Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, expectedMs)))
    return wait(rank < soon ? SHORTEST_WAIT_MS : laterMs, index + 1)
  }

  function ask(): Answer {
    if (endOf(call.user, call.id).until > now) return ended()
    let entry = entries.get(call.id)
    if (entry && entry.user !== call.user) return answer('foreign')
    if (entry?.isEnded || entry?.status === 'closing') {
      entries.delete(call.id)
      entry = undefined
    }
    if (entry && isLease(entry)) {
      setStatus(entry, 'opening')
      keep(entry)
      return answer('leased', RENEW_MS)
    }
    if (!entry) {
      if (count(({ status, user }) => status === 'asking' && user === call.user) >= MOST_TICKETS)
        return answer('user-full', LONGEST_WAIT_MS)
      if (count(({ status }) => status === 'asking') >= MOST_WAITING) return answer('full', LONGEST_WAIT_MS)
      entry = newEntry()
    }
    setStatus(entry, 'asking')
    return queue(entry)
  }

  /** A socket that is open without a lease gets one, above the number too: nothing closes a good stream. */
  function renew(): Answer {
    let entry = entries.get(call.id)
    if (entry && entry.user !== call.user) return answer('foreign')
    if (entry?.isEnded || endOf(call.user, call.id).until > now) return ended(entry)
    if (!entry || !isLease(entry)) {
      if (call.holds === 'opening') return answer('unknown')
      entry ??= newEntry()
      entry.since = now
      setStatus(entry, call.holds === 'parked' ? 'asleep' : 'open')
    } else setStatus(entry, call.holds)
    check(entry)
    keep(entry)
    return { ...answer(entry.status === 'asleep' ? 'asleep' : 'leased', RENEW_MS), forMs: now - entry.since }
  }

  function release(): Answer {
    const entry = entries.get(call.id)
    if (!entry) return answer('unknown')
    if (entry.user !== call.user) return answer('foreign')
    if (!isLease(entry) || entry.status === 'closing') {
      if (entry.status !== 'closing') entries.delete(call.id)
      return answer('unknown')
    }
    check(entry)
    if (state.releasedAt > 0) {
      const gapMs = Math.min(now - state.releasedAt, LONGEST_ABOVE_GAP_MS)
      state.paceMs = state.paceMs > 0 ? Math.floor((state.paceMs * 9 + gapMs) / 10) : gapMs
    }
    state.releasedAt = now
    const forMs = now - entry.since
    if (state.lingerMs === 0) {
      entries.delete(call.id)
      return { ...answer('done'), forMs }
    }
    setStatus(entry, 'closing')
    entry.until = now + state.lingerMs
    return { ...answer('done'), forMs }
  }

  /** The service had no room. The request is in the queue again, at the place that it had before. */
  function refused(): Answer {
    const known = entries.get(call.id)
    if (known && known.user !== call.user) return answer('foreign')
    const entry = known ?? newEntry()
    const { isTrial } = entry
    entry.isTrial = false
    setStatus(entry, 'asking')
    learn(isTrial)
    if (entry.isEnded || endOf(call.user, call.id).until > now) {
      entries.delete(call.id)
      return ended(entry)
    }
    // Not at once: what has refused it may take some time to pass.
    return queue(entry, false)
  }

  function learn(isTrial: boolean): void {
    const isBelow = state.number < surely
    if (isTrial) {
      state.trials = 1
      state.gapMs = isBelow
        ? Math.min(Math.max(state.gapMs, FIRST_GAP_MS) * 2, LONGEST_GAP_MS)
        : Math.min(Math.max(state.gapMs, ABOVE_GAP_MS) * 2, LONGEST_ABOVE_GAP_MS)
      // It was more once, but that is long ago.
      if (isBelow && state.lowerSince > 0 && now - state.lowerSince > LONGEST_ABOVE_GAP_MS)
        state.proven = state.number
    } else if (
      state.number >= 0 &&
      now - state.releasedAt < LONGEST_LINGER_MS &&
      state.lingerMs < LONGEST_LINGER_MS
    )
      state.lingerMs = Math.min(LONGEST_LINGER_MS, Math.max(FIRST_LINGER_MS, state.lingerMs * 2))
    else {
      state.number = Math.min(numberNow(), used())
      state.trials = 1
      state.gapMs = state.number < surely ? FIRST_GAP_MS : ABOVE_GAP_MS
      state.refusedAt = now
    }
    state.triedAt = now
  }

  function end(): Answer {
    const key = call.id !== '' ? `id ${call.id}` : call.user !== '' ? `user ${call.user}` : 'all'
    const until = now + call.forMs
    if (until > (ends.get(key)?.until ?? 0)) ends.set(key, { until, note: call.note })
    for (const [id, entry] of entries) {
      if (![`id ${id}`, `user ${entry.user}`, 'all'].includes(key)) continue
      if (isLease(entry)) {
        entry.isEnded = true
        entry.endNote = call.note
      } else entries.delete(id)
    }
    return answer('done')
  }

  // 4. The action.
  const look = (): Answer => (call.user !== '' && endOf(call.user, '').until > now ? ended() : answer('done'))
  const actions = { ask, renew, release, refused, end, look }
  const result = actions[call.action]()

  // 5. The reply.
  const number = numberNow()
  const isLower = number < surely
  if (!isLower) state.lowerSince = 0
  else if (state.lowerSince === 0) state.lowerSince = now
  const list: Listed[] = []
  if (call.lists)
    for (const [id, entry] of entries)
      if (isLease(entry)) list.push({ id, user: entry.user, forMs: now - entry.since, note: entry.note })
  return {
    ...result,
    born: state.born,
    instances: instances.size,
    leased: count(isLease),
    waiting: count((entry) => entry.status === 'asking'),
    number: number === Infinity ? -1 : number,
    lowerMs: isLower ? now - state.lowerSince : 0,
    list,
  }
}

type Answer = Pick<Reply, 'status' | 'place' | 'of' | 'waitMs' | 'forMs' | 'note'>

const answer = (status: Reply['status'], waitMs = 0): Answer => ({
  status,
  place: 0,
  of: 0,
  waitMs,
  forMs: 0,
  note: '',
})
