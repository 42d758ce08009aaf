/** Numbers of an account, the same in all of its instances. Times in milliseconds. */
export interface Rules {
  readonly limit: number
  readonly windowMs: number
  /** A slot that is not released is free so long after its turn opened. */
  readonly heldMs: number
  /** Turns are so far apart, except the first `burst` of an idle account. */
  readonly gapMs: number
  readonly burst: number
  /** A turn that opens later than this is not promised yet. */
  readonly aheadMs: number
}

/** A 429 of the upstream. */
export interface Limited {
  /** Of its `Retry-After`; -1 if it had none. */
  readonly retryAfterMs: number
  /** Since the request was sent. */
  readonly sentAgoMs: number
  /** From 0 to 1: lengthens a pause by up to a quarter. */
  readonly jitter: number
}

/** One call of an instance: what it has to tell, and how many turns it wants. Each part may be empty. */
export interface Call extends Rules {
  readonly instance: string
  /** It will not call again. */
  readonly leaves: boolean
  /** `born` and `at` of the last reply that it got; 0 if no slot of that time counts any more. */
  readonly born: number
  readonly at: number
  /**
   * When it was sent, by the clock of the state as far as the caller knows it; 0: it does not. A call that
   * comes much later is of no use to the caller, who is on its own by then: it takes no turns.
   */
  readonly sentAt: number
  /** It did not reach the state for a while. How many instances it knows, if the others did not either. */
  readonly peers: number
  /** Its slots by name, and in how many milliseconds each is free. 0: it was not used. */
  readonly told: Readonly<Record<string, number>>
  readonly limited: readonly Limited[]
  readonly wanted: number
  /** The slots of its turns are called `id` and 1, 2, 3. So a doubled call or a lost reply does no harm. */
  readonly id: string
}

/** What a 429 has changed. */
export interface Pause {
  /** No turn opens before this time. */
  frozenUntil: number
  /** The last 429 that counted. For half a minute there are fewer slots. */
  limitedAt: number
  /** 429s without half a minute between them. */
  row: number
  /** All 429s that counted. */
  foreignUse: number
}

/** An account as Redis or this process keeps it. Times of its own clock. */
export interface State extends Pause {
  /** When it began, and when it was last called. */
  born: number
  at: number
  /** When the last turn opens. */
  last: number
  /** When the first of so many instances was back that did not reach the state. */
  backAt: number
  peers: number
  /** When each slot is free again. */
  readonly slots: Map<string, number>
  /** When each instance last called. */
  readonly instances: Map<string, number>
}

/**
 * Times of the state's own clock: `born`, `at`. How many instances there are, and slots in use. Milliseconds
 * of the freeze, and since the last 429, with its `row` and `foreignUse`. If no turn is promised: when to ask
 * again. Then, for each turn, in how many milliseconds it opens.
 */
export type Reply = readonly [
  born: number,
  at: number,
  instances: number,
  used: number,
  frozenMs: number,
  limitedAgoMs: number,
  row: number,
  foreignUse: number,
  waitMs: number,
  ...opensInMs: number[],
]

/** So long after a 429 there are fewer slots and no burst. */
export const LOWERED_MS = 30_000
/** The next opening may come sooner than it looks: a slot may be released. So it is asked for again. */
export const POLL_MS = 100
/** An instance that has not called for so long is not counted. */
export const GONE_MS = 60_000
export const FIRST_PAUSE_MS = 1_000
export const LONGEST_PAUSE_MS = 5_000
export const LONGEST_RETRY_AFTER_MS = 60_000
/** A call that takes longer has failed. */
export const LATE_MS = 750
/** A time that is further ahead is not one that these rules have set. */
export const SLACK_MS = 1_000

export const newState = (): State => ({
  born: 0,
  at: 0,
  last: 0,
  backAt: 0,
  peers: 0,
  frozenUntil: 0,
  limitedAt: 0,
  row: 0,
  foreignUse: 0,
  slots: new Map(),
  instances: new Map(),
})

/** The last fifth of the slots is never given up. */
export const leastOf = (limit: number): number => Math.max(1, Math.floor(limit / 5))

/** Slots that each 429 of a row takes away. */
export const givenUpOf = (limit: number): number => Math.ceil(limit / 12.5)

/** Slots that may be used, after the 429s of the last half minute. */
export function limitNow(limit: number, { limitedAt, row }: Pause, now: number): number {
  return now - limitedAt < LOWERED_MS
    ? limit - Math.min(givenUpOf(limit) * row, limit - leastOf(limit))
    : limit
}

/** What an instance may use on its own, if there are so many. */
export const shareOf = (limit: number, instances: number): number =>
  Math.max(1, Math.floor(limit / Math.max(1, instances)))

/** For a window after an outage those that have not called since may still use their shares on their own. */
function sharesOfSilent(
  { backAt, peers, instances }: State,
  { limit, windowMs }: Rules,
  now: number,
): number {
  if (now >= backAt + windowMs) return 0
  const back = [...instances.values()].filter((at) => at >= backAt).length
  return Math.max(0, peers - back) * shareOf(limit, peers)
}

/** Begins or extends a pause. True if the 429 is not of the same moment as the last one. */
export function countLimited(
  pause: Pause,
  { retryAfterMs, sentAgoMs, jitter }: Limited,
  now: number,
): boolean {
  const isNew = now >= pause.frozenUntil && now - sentAgoMs > pause.limitedAt
  if (isNew) {
    pause.row = now - pause.limitedAt < LOWERED_MS ? pause.row + 1 : 1
    pause.limitedAt = now
    pause.foreignUse += 1
  }
  const backOffMs = Math.min(FIRST_PAUSE_MS * 2 ** (pause.row - 1), LONGEST_PAUSE_MS) * (1 + jitter / 4)
  const ownMs = isNew ? Math.floor(backOffMs) : 0
  const frozenMs = retryAfterMs < 0 ? ownMs : Math.min(retryAfterMs, LONGEST_RETRY_AFTER_MS)
  pause.frozenUntil = Math.max(pause.frozenUntil, now + frozenMs)
  return isNew
}

/*
 *   open = max(now, when a slot is free, last turn + gap, end of a freeze)
 *   gap  = 0 while fewer than `burst` slots are in use; else gapMs, or more after a burst:
 *          the slots that it has left are spread until the first is free again
 *
 * A slot counts from its turn until a window after the *response* to its request. The request reaches the
 * upstream between the two. So the next request of the same slot reaches it more than a window later,
 * whatever the way takes, and no window holds more requests than there are slots.
 */

/** Runs a call. `turnsScript` has the same rules for Redis: a test compares them. */
export function applyCall(state: State, call: Call, now: number): Reply {
  const { slots, instances } = state
  const longestMs = call.aheadMs + call.heldMs + SLACK_MS
  // Forgotten, an older copy, or the clock stepped back: others may hold slots that are not known here.
  const isLost =
    state.born === 0 ||
    now < state.at ||
    (state.born === call.born && state.at < call.at) ||
    state.last > now + longestMs ||
    state.frozenUntil > now + LONGEST_RETRY_AFTER_MS + SLACK_MS
  if (isLost)
    Object.assign(state, {
      born: now,
      last: 0,
      backAt: 0,
      peers: 0,
      frozenUntil: 0,
      limitedAt: 0,
      row: 0,
      foreignUse: 0,
    })
  state.at = now
  if (call.born > 0 && call.born !== state.born)
    state.frozenUntil = Math.max(state.frozenUntil, state.born + call.windowMs)
  const isLate = call.sentAt > 0 && now - call.sentAt > LATE_MS
  if (call.peers > 0 && !isLate && now >= state.backAt + call.windowMs)
    Object.assign(state, { backAt: now, peers: call.peers })
  // Until it has read the reply it may go on alone: it is not back yet.
  if (!isLate) instances.set(call.instance, call.peers > 0 ? state.backAt - 1 : now)

  for (const [id, ms] of Object.entries(call.told)) slots.set(id, now + ms)
  for (const [id, freeAt] of slots) if (freeAt <= now || freeAt > now + longestMs) slots.delete(id)
  for (const limited of call.limited) countLimited(state, limited, now)

  const limit = Math.max(1, limitNow(call.limit, state, now) - sharesOfSilent(state, call, now))
  const burst = limit < call.limit ? 0 : Math.min(call.burst, limit)
  const freeAts = [...slots.values()].toSorted((a, b) => a - b)
  const opensInMs: number[] = []
  const wanted = isLate ? 0 : call.wanted
  let waitMs = 0
  for (let n = 1; n <= wanted; n += 1) {
    const used = freeAts.length
    const roomAt = used < limit ? now : (freeAts[used - limit] ?? now)
    const spreadMs =
      used > 0 && used < limit
        ? Math.min((freeAts[0] ?? 0) - state.last, call.windowMs) / (limit - used + 1)
        : 0
    const gapMs = used < burst ? 0 : Math.max(call.gapMs, Math.ceil(spreadMs))
    const open = Math.max(now, roomAt, state.last + gapMs, state.frozenUntil)
    // One turn may open later. Of a burst all open now.
    if (n > 1 && open > now) break
    const lateMs = open - now - call.aheadMs
    if (lateMs > 0) {
      waitMs = Math.max(Math.min(lateMs, POLL_MS), state.frozenUntil - now - call.aheadMs)
      break
    }
    state.last = open
    slots.set(`${call.id}${n}`, open + call.heldMs)
    freeAts.push(open + call.heldMs)
    opensInMs.push(Math.ceil(open - now))
  }

  for (const [name, at] of instances)
    if (now - at > GONE_MS || (call.leaves && name === call.instance)) instances.delete(name)
  const frozenMs = Math.max(0, Math.ceil(state.frozenUntil - now))
  const { born, limitedAt, row, foreignUse } = state
  return [
    born,
    now,
    instances.size,
    slots.size,
    frozenMs,
    now - limitedAt,
    row,
    foreignUse,
    Math.ceil(waitMs),
    ...opensInMs,
  ]
}
