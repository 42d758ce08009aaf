import { LATE_MS } from '../redis/createStore.js'

/** The numbers of an account, the same in all of its instances. Times are in milliseconds. */
export interface Rules {
  readonly limit: number
  readonly windowMs: number
  /** A slot that is not released becomes free this long after its turn opened. */
  readonly heldMs: number
  /** Time between two turns, except for the first `burst` turns of an idle account. */
  readonly gapMs: number
  readonly burst: number
  /** Turns are promised at most this long ahead. */
  readonly aheadMs: number
}

/** A 429 of the upstream. */
export interface Limited {
  /** The value of `Retry-After`; -1 if there was no such header. */
  readonly retryAfterMs: number
  /** Time since the request was sent. */
  readonly sentAgoMs: number
  /** Time since the response. An instance that has lost the state reports it late. */
  readonly agoMs: number
  /** From 0 to 1. Lengthens a freeze by up to a quarter. */
  readonly jitter: number
}

/**
 * One call of an instance to the store: its reports, and the number of turns that it wants. Each part may be
 * empty.
 */
export interface Call extends Rules {
  readonly instance: string
  /** True for the last call of an instance. */
  readonly leaves: boolean
  /** `born` and `at` of the last reply; 0 if all slots of that time are free again. */
  readonly born: number
  readonly at: number
  /**
   * Time of sending, estimated on the state's clock; 0 if it is not known. A call that arrives more than
   * LATE_MS later gets no turns, because its caller no longer waits for the reply.
   */
  readonly sentAt: number
  /**
   * If the caller could not reach the state for a while: the number of instances that it knows, because the
   * others may have had the same problem. Otherwise 0.
   */
  readonly peers: number
  /** The caller's slots by name, with the milliseconds until each is free. 0: the slot was not used. */
  readonly freeInMs: Readonly<Record<string, number>>
  readonly limited: readonly Limited[]
  readonly wanted: number
  /**
   * Prefix of the names of its slots: `id` followed by 1, 2, 3. So a call that is run twice takes the same
   * slots.
   */
  readonly id: string
}

/** The effect of 429s. */
export interface Freeze {
  /** No turn opens before this time. */
  frozenUntil: number
  /** Time of the last 429 that counted. For half a minute after it there are fewer slots. */
  limitedAt: number
  /** Number of 429s in a row, each less than half a minute after the one before. */
  streak: number
  /** Number of all 429s that counted. */
  foreignUse: number
}

/** The state of an account, in Redis or in this process. Its times are those of its own clock. */
export interface State extends Freeze {
  /** Times of its creation and of its last call. */
  born: number
  at: number
  /** Time at which the last turn opens. */
  last: number
  /**
   * After an outage: the time at which the first instance called again, and the number of instances that it
   * knew.
   */
  backAt: number
  peers: number
  /**
   * Redis has the slots in a key of their own, which has a mark until this time. If only one of the two keys
   * is there, the other one was lost.
   */
  mark: number
  /** True if the slots have their mark. */
  slotsMarked: boolean
  /** Time at which each slot becomes free. */
  readonly slots: Map<string, number>
  /** Time of each instance's last call. */
  readonly instances: Map<string, number>
}

/** What a call returns. `born` and `at` are times of the state's clock. */
export interface Reply {
  readonly born: number
  readonly at: number
  readonly instances: number
  /** Slots in use. */
  readonly used: number
  /** The rest of the freeze. */
  readonly frozenMs: number
  /** Time since the last 429 that counted. */
  readonly limitedAgoMs: number
  readonly streak: number
  readonly foreignUse: number
  /** When to ask again if no turn is promised; 0 if one is. */
  readonly waitMs: number
  /** For each turn, the time until it opens. */
  readonly opensInMs: readonly number[]
}

/** For this time after a 429 there are fewer slots and no burst. */
export const LOWERED_MS = 30_000
/**
 * Longest wait until an instance asks again. The next turn may open sooner than expected, because a slot may
 * be released.
 */
export const POLL_MS = 100
/** An instance that has not called for this time is not counted. */
export const GONE_MS = 60_000
export const FIRST_FREEZE_MS = 1_000
export const LONGEST_FREEZE_MS = 5_000
export const LONGEST_RETRY_AFTER_MS = 60_000
/** Tolerance for times in the state. A time that is further ahead was not written by these rules. */
export const SLACK_MS = 1_000

export const newState = (): State => ({
  born: 0,
  at: 0,
  last: 0,
  backAt: 0,
  peers: 0,
  mark: 0,
  slotsMarked: false,
  frozenUntil: 0,
  limitedAt: 0,
  streak: 0,
  foreignUse: 0,
  slots: new Map(),
  instances: new Map(),
})

/** The number of slots that 429s never remove: a fifth. */
const leastOf = (limit: number): number => Math.max(1, Math.floor(limit / 5))

/** Slots that each 429 in a row removes. */
const givenUpOf = (limit: number): number => Math.ceil(limit / 12.5)

/** Slots that may be used now: fewer after 429s of the last half minute. */
export function limitNow(limit: number, { limitedAt, streak }: Freeze, now: number): number {
  return now - limitedAt < LOWERED_MS
    ? limit - Math.min(givenUpOf(limit) * streak, limit - leastOf(limit))
    : limit
}

/** Slots that each of `instances` may use on its own. */
export const shareOf = (limit: number, instances: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, instances)))

/**
 * Slots of instances that have not called since an outage. For one window after it they may still use their
 * shares on their own.
 */
function sharesOfSilent(
  { backAt, peers, instances }: State,
  { limit, windowMs }: Rules,
  now: number,
): number {
  if (now >= backAt + windowMs) return 0
  const back = [...instances.values()].filter((at) => at >= backAt).length
  return Math.max(0, peers - back) * shareOf(limit, peers)
}

/**
 * Begins or extends a freeze, from the time of the response on. Returns false if the 429 belongs to the same
 * moment as the last one.
 */
export function countLimited(
  freeze: Freeze,
  { retryAfterMs, sentAgoMs, agoMs, jitter }: Limited,
  now: number,
): boolean {
  const at = now - agoMs
  const isNew = at >= freeze.frozenUntil && now - sentAgoMs > freeze.limitedAt
  if (isNew) {
    freeze.streak = at - freeze.limitedAt < LOWERED_MS ? freeze.streak + 1 : 1
    freeze.limitedAt = at
    freeze.foreignUse += 1
  }
  const backOffMs = Math.min(FIRST_FREEZE_MS * 2 ** (freeze.streak - 1), LONGEST_FREEZE_MS)
  const ownMs = isNew ? Math.floor(backOffMs * (1 + jitter / 4)) : 0
  const frozenMs = retryAfterMs < 0 ? ownMs : Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
  freeze.frozenUntil = Math.max(freeze.frozenUntil, at + frozenMs)
  return isNew
}

/*
 *   open = max(now, when a slot is free, last turn + gap, end of a freeze)
 *   gap  = 0 while fewer than `burst` slots are in use; else gapMs, or more after a burst:
 *          the remaining slots are spread over the time until the first slot is free again
 *
 * A slot is in use from its turn until one window after the *response* to its request. The request reaches
 * the upstream between these two times. So the next request of the same slot reaches the upstream more than
 * one window later, whatever the delay of the network, and no window contains more requests than there are
 * slots.
 */

/**
 * Runs a call. `turnsScript.ts` has the same steps, in the same order and with the same names, for Redis, and
 * a test compares the two: change both.
 */
export function applyTurnsCall(state: State, call: Call, now: number): Reply {
  const { slots, instances } = state

  // 1. The state or its slots were lost or replaced by an older copy, or its clock stepped back. Instances
  // may hold slots that it does not know, so no turn opens for one window. An account without any state has
  // no such slots.
  const longestMs = call.aheadMs + call.heldMs + SLACK_MS
  const isLost =
    state.born === 0 ||
    now < state.at ||
    (state.mark > now && !state.slotsMarked) ||
    (state.born === call.born && state.at < call.at) ||
    state.last > now + longestMs ||
    state.frozenUntil > now + LONGEST_RETRY_AFTER_MS + SLACK_MS
  const isNew = state.born === 0 && !state.slotsMarked
  if (isLost) {
    state.born = now
    state.last = 0
    state.backAt = 0
    state.peers = 0
    state.frozenUntil = isNew ? 0 : now + call.windowMs
    state.limitedAt = 0
    state.streak = 0
    state.foreignUse = 0
  }
  state.at = now
  // Not longer, because an instance of an earlier version deletes what is further ahead than its own slots.
  state.mark = now + call.windowMs + call.aheadMs
  state.slotsMarked = true

  // 2. The caller. If it knows another state, its slots of that state may still be in use: it gets no turns
  // before it has reported them, which it does as soon as it has the reply.
  const knowsAnother = call.born > 0 && call.born !== state.born
  if (knowsAnother) state.frozenUntil = Math.max(state.frozenUntil, state.born + call.windowMs)
  const isLate = call.sentAt > 0 && now - call.sentAt > LATE_MS
  const wanted = isLate || knowsAnother ? 0 : call.wanted
  if (call.peers > 0 && !isLate && now >= state.backAt + call.windowMs) {
    state.backAt = now
    state.peers = call.peers
  }
  // Until the caller has read the reply, it may continue on its own, so it does not count as back yet.
  if (!isLate) instances.set(call.instance, call.peers > 0 ? state.backAt - 1 : now)

  // 3. Its reports. A slot that is further ahead than `longestMs` was not written by these rules.
  for (const [id, ms] of Object.entries(call.freeInMs)) slots.set(id, now + ms)
  for (const [id, freeAt] of slots) if (freeAt <= now || freeAt > now + longestMs) slots.delete(id)
  for (const limited of call.limited) countLimited(state, limited, now)

  // 4. The slots that may be used now, and how many of them without a gap.
  const limit = Math.max(1, limitNow(call.limit, state, now) - sharesOfSilent(state, call, now))
  const burst = limit < call.limit ? 0 : Math.min(call.burst, limit)

  // 5. The turns.
  const freeAts = [...slots.values()].toSorted((a, b) => a - b)
  const freeAt = (index: number): number => freeAts[index] ?? now
  const opensInMs: number[] = []
  let waitMs = 0
  for (let number = 1; number <= wanted; number += 1) {
    const used = freeAts.length
    const roomAt = used < limit ? now : freeAt(used - limit)
    let gapMs = 0
    if (used >= burst) gapMs = call.gapMs
    if (used >= burst && used > 0 && used < limit) {
      const spreadMs = Math.min(freeAt(0) - state.last, call.windowMs) / (limit - used + 1)
      gapMs = Math.max(gapMs, Math.ceil(spreadMs))
    }
    const open = Math.max(now, roomAt, state.last + gapMs, state.frozenUntil)
    // A single turn may open later. All turns of a burst open now.
    if (number > 1 && open > now) break
    const lateMs = open - now - call.aheadMs
    if (lateMs > 0) {
      waitMs = Math.max(Math.min(lateMs, POLL_MS), state.frozenUntil - now - call.aheadMs)
      break
    }
    state.last = open
    slots.set(`${call.id}${number}`, open + call.heldMs)
    freeAts.push(open + call.heldMs)
    opensInMs.push(Math.ceil(open - now))
  }

  // 6. Instances that have left.
  for (const [name, at] of instances) {
    const leaves = call.leaves && name === call.instance
    if (leaves || now - at > GONE_MS) instances.delete(name)
  }

  // 7. The reply.
  return {
    born: state.born,
    at: now,
    instances: instances.size,
    used: slots.size,
    frozenMs: Math.max(0, Math.ceil(state.frozenUntil - now)),
    limitedAgoMs: now - state.limitedAt,
    streak: state.streak,
    foreignUse: state.foreignUse,
    waitMs: Math.ceil(waitMs),
    opensInMs,
  }
}
