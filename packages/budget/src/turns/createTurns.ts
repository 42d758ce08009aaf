import type { Clock } from '../core/Clock.js'
import type { BudgetEvent } from '../core/events.js'
import {
  applyTurnsCall,
  type Call,
  countLimited,
  limitNow,
  LONGEST_RETRY_AFTER_MS,
  newState,
  type Freeze,
  POLL_MS,
  type Reply,
  type Rules,
  shareOf,
} from './applyTurnsCall.js'
import type { Store } from '../redis/createStore.js'
import { replyCode } from '../redis/redisClient.js'

/** The right to start one request, from a time on. */
export interface Turn {
  readonly id: string
  /** Time on the clock of this process. */
  readonly opensAt: number
}

/** The turns of one instance. Times are those of the clock of this process. */
export interface Turns {
  /**
   * Returns up to `wanted` turns. If it returns none, ask again after `waitMs`; no turn opens within
   * `shutMs`. The next one opens after `nextMs`, or sooner if Redis is back or a slot is released. Never
   * rejects.
   */
  take(wanted: number): Promise<{
    readonly turns: readonly Turn[]
    readonly waitMs: number
    readonly shutMs: number
    readonly nextMs: number
  }>
  release(id: string, outcome: 'answered' | 'unsent' | 'aborted'): void
  /** Reports a 429 for a request that was sent at `sentAt`. */
  limited(retryAfterMs: number | undefined, sentAt: number): void
  readonly freeze: Readonly<Freeze>
  /** Slots of the account: how many may be used at present, and how many are in use. */
  limit(): number
  used(): number
  instances(): number
  degraded(): string | undefined
  close(): Promise<void>
}

interface TurnsOptions {
  readonly store: Store<Call, Reply>
  readonly rules: Rules
  readonly clock: Clock
  readonly random: () => number
  readonly emit: (event: BudgetEvent) => void
}

/**
 * Added to a window. MARGIN_MS: because clocks are not exact. GRACE_MS: for an aborted request, which may
 * still reach the upstream.
 */
const MARGIN_MS = 10
const GRACE_MS = 1_000
/** A release is reported with the next call, or alone after this part of a window. */
const REPORT_PART = 0.2
/**
 * After Redis is lost, an instance takes no turns on its own for this time. Most losses are shorter, and then
 * no slot is used twice.
 */
const PATIENCE_MS = 750
/** After a loss of this length other instances may have used turns on their own. */
const OUTAGE_MS = 500
/** Time between two calls while Redis does not respond. */
const RETRY_MS = 250
/** An idle instance calls at this interval, so that it is counted and notices a loss of Redis. */
const HEARTBEAT_MS = 10_000
/** The number of instances that is assumed until Redis has responded once. */
const UNKNOWN_INSTANCES = 4
const MOST_TURNS = 100

/** Why this instance is alone. */
interface Loss {
  readonly since: number
  readonly heldAtStart: number
  /** The first word of the error reply of Redis, if there was one. */
  readonly reply: string | undefined
  /** Redis has never accepted a call. */
  readonly isNew: boolean
}

/*
 * Shares the slots of an account among its instances. `waiting/createFairQueue.ts` decides which user gets a
 * turn.
 *
 *   shared --- a call fails or takes 750 ms ---> alone: at first no slots; then the slots that this instance
 *     ^                                            |    held, when they are free; after a window its share,
 *     |                                            |    at once if Redis refused the very first call
 *     '-- a reply: slots used alone are reported --'
 *
 * If Redis has lost the state, the first call freezes all instances for one window. After that, all slots
 * that Redis does not know are free again.
 */
export function createTurns(options: TurnsOptions): Turns {
  const { store, rules, clock, random, emit } = options
  const { instance } = store
  const { windowMs, heldMs, aheadMs } = rules
  /**
   * The local state: the slots of this instance, and the freezes of all. While this instance is alone, it is
   * the state of the account.
   */
  const own = { ...newState(), born: clock.now() }
  /** Slots whose times were not reported to the store yet. */
  let unreported = new Map<string, number>()
  /** 429s that were not reported yet. */
  let limiteds: {
    readonly retryAfterMs: number
    readonly jitter: number
    readonly sentAt: number
    readonly answeredAt: number
  }[] = []
  let seen = {
    born: 0,
    at: 0,
    instances: store.isShared ? UNKNOWN_INSTANCES : 1,
    used: 0,
    localAt: -Infinity,
  }
  /** The number of instances before Redis lost the state. By `until` all of them have called again. */
  let former = { instances: 0, until: -Infinity }
  let alone: Loss | undefined
  let probedAt = 0
  let calls = 0
  /** Number of the latest call that got a reply. */
  let replied = 0
  let isLowered = false
  let closed = false
  let cancelReport: (() => void) | undefined
  let cancelBeat = (): void => {}

  const share = (): number => shareOf(rules.limit, seen.instances)

  /** The number of own slots in use. Deletes the others. */
  const countHeld = (): number => {
    for (const [id, freeAt] of own.slots) if (freeAt <= clock.now()) own.slots.delete(id)
    return own.slots.size
  }

  const turnsOf = (id: string, now: number, { waitMs, opensInMs }: Reply) => {
    const turns = opensInMs.map((openMs, index) => ({ id: `${id}${index + 1}`, opensAt: now + openMs }))
    for (const turn of turns) {
      own.slots.set(turn.id, turn.opensAt + heldMs)
      own.last = turn.opensAt
    }
    // The next turn is too far ahead to be promised.
    const shutMs = waitMs > 0 ? waitMs + aheadMs : 0
    return { turns, waitMs, shutMs, nextMs: shutMs }
  }

  const askFor = (wanted: number, id: string): Call => ({
    ...rules,
    instance,
    leaves: closed,
    born: 0,
    at: 0,
    sentAt: 0,
    peers: 0,
    freeInMs: {},
    limited: [],
    wanted,
    id,
  })

  const call = async (wanted: number): ReturnType<Turns['take']> => {
    const sentAt = clock.now()
    const number = (calls += 1)
    const isConnected = replied > 0 || store.isConnected()
    const id = `${instance}.${number}.`
    // Slots that were seen or used before this time are free by now.
    const oldAt = sentAt - heldMs - aheadMs
    const reportedSlots = new Map([...unreported].filter(([, freeAt]) => freeAt > oldAt))
    // The freeze after an older 429 is over.
    const reporting = limiteds.filter(({ answeredAt }) => sentAt - answeredAt < LONGEST_RETRY_AFTER_MS)
    unreported = new Map()
    limiteds = []
    cancelReport?.()
    cancelReport = undefined
    const { born, at } = seen.localAt > oldAt ? seen : { born: 0, at: 0 }
    try {
      const reply = await store.call({
        ...askFor(wanted, id),
        born,
        at,
        sentAt: at > 0 ? Math.ceil(at + sentAt - seen.localAt) : 0,
        peers: alone && sentAt - alone.since > OUTAGE_MS ? seen.instances : 0,
        freeInMs: Object.fromEntries(
          [...reportedSlots].map(([slot, freeAt]) => [slot, Math.max(0, Math.ceil(freeAt - sentAt))]),
        ),
        limited: reporting.map(({ retryAfterMs, jitter, ...limited }) => ({
          retryAfterMs,
          jitter,
          sentAgoMs: Math.ceil(sentAt - limited.sentAt),
          agoMs: Math.ceil(sentAt - limited.answeredAt),
        })),
      })
      // Redis read its clock at most one round trip ago. Counting from the reply is later, and so it is safe.
      const now = store.isShared ? clock.now() : sentAt
      see(reply, now, number, born)
      return turnsOf(id, now, reply)
    } catch (error) {
      // The reports may not have arrived, and the turns may have been taken.
      for (let index = 1; index <= wanted; index += 1) reportedSlots.set(`${id}${index}`, sentAt)
      unreported = new Map([...reportedSlots, ...unreported])
      limiteds = [...reporting, ...limiteds]
      // If a later call got a reply, Redis is not lost.
      if (number > replied) lose(error, isConnected)
      throw error
    }
  }

  const see = (reply: Reply, now: number, number: number, bornBefore: number): void => {
    const { born, at, instances, used, frozenMs, limitedAgoMs, streak, foreignUse } = reply
    replied = Math.max(replied, number)
    if (alone) emit({ type: 'budget.store', reason: 'back' })
    alone = undefined
    const isLost = bornBefore > 0 && bornBefore !== born
    if (isLost) former = { instances: seen.instances, until: now + HEARTBEAT_MS + GRACE_MS }
    if (at >= seen.at || born !== seen.born) {
      const known = now < former.until ? Math.max(instances, former.instances) : instances
      seen = { born, at, instances: Math.max(1, known), used, localAt: now }
    }
    const { limitedAt, frozenUntil } = own
    // The reply to an earlier call does not include a later 429.
    own.frozenUntil = Math.max(own.frozenUntil, now + frozenMs)
    if (now - limitedAgoMs >= own.limitedAt)
      Object.assign(own, { limitedAt: now - limitedAgoMs, streak, foreignUse })
    countHeld()
    if (isLost) {
      emit({ type: 'budget.store', reason: 'state-lost' })
      unreported = new Map([...own.slots, ...unreported])
      // The new state does not know of a freeze after a 429 either.
      if (frozenUntil > now + frozenMs)
        limiteds.push({
          retryAfterMs: Math.ceil(frozenUntil - limitedAt),
          jitter: 0,
          sentAt: limitedAt,
          answeredAt: limitedAt,
        })
      report()
    }
    noticeRecovery()
    beat()
  }

  const noticeRecovery = (): void => {
    const wasLowered = isLowered
    isLowered = limitNow(rules.limit, own, clock.now()) < rules.limit
    if (wasLowered && !isLowered)
      emit({ type: 'budget.limit', reason: 'recovered', limit: rules.limit, used: seen.used, frozenMs: 0 })
  }

  /**
   * Calls regularly, so that this instance is counted, and `used` is correct after the last slots are free.
   */
  const beat = (): void => {
    cancelBeat()
    if (closed || !store.isShared) return
    const delayMs = seen.used > 0 ? Math.min(windowMs, HEARTBEAT_MS) : HEARTBEAT_MS
    cancelBeat = clock.after(delayMs, report, false)
  }

  const report = (): void => {
    if (!alone) call(0).catch(() => undefined)
  }

  const lose = (cause: unknown, isConnected: boolean): void => {
    if (alone || closed) return
    const reply = replyCode(cause)
    alone = { since: clock.now(), heldAtStart: countHeld(), reply, isNew: replied === 0 }
    // Code can read the cause, but a logger does not print it, because it may contain anything.
    const notYet = isConnected ? undefined : ({ connected: false } as const)
    const event = {
      type: 'budget.store',
      reason: 'lost',
      limit: share(),
      ...(reply && { reply }),
      ...notYet,
    } as const
    emit(Object.defineProperty(event, 'cause', { value: cause, enumerable: false }))
    probe()
  }

  /** Calls until one call gets a reply. The calls do not wait for each other. */
  const probe = (): void => {
    probedAt = clock.now()
    const again = (): void => {
      if (!alone || closed) return
      call(0).catch(() => undefined)
      probe()
    }
    clock.after(RETRY_MS, again, false)
  }

  /** In a Cloudflare Worker timers end with the request that set them. So a later request goes on. */
  const probeIfStopped = (): void => {
    if (closed || clock.now() - probedAt < 2 * RETRY_MS) return
    call(0).catch(() => undefined)
    probe()
  }

  const takeAlone = (lost: Loss, wanted: number) => {
    const now = clock.now()
    const lostMs = now - lost.since
    // Redis refuses the calls since the start, so the other instances are alone too.
    const isRefused = lost.isNew && lost.reply !== undefined
    // For one window other instances may use the slots that this one did not hold.
    const shareInMs = isRefused ? 0 : Math.max(0, windowMs + GRACE_MS - lostMs)
    const limit = shareInMs > 0 ? Math.min(lost.heldAtStart, share()) : share()
    // Redis may be back at the next call, and give turns that open at once.
    const early = { turns: [], waitMs: POLL_MS, shutMs: POLL_MS }
    if (limit === 0) return { ...early, nextMs: shareInMs }
    if (lostMs < PATIENCE_MS && !isRefused) return { ...early, nextMs: PATIENCE_MS - lostMs }
    const gapMs = Math.ceil(windowMs / limit)
    const id = `${instance}.${(calls += 1)}.`
    const taken = turnsOf(
      id,
      now,
      applyTurnsCall(own, { ...askFor(wanted, id), limit, burst: 0, gapMs }, now),
    )
    for (const turn of taken.turns) unreported.set(turn.id, turn.opensAt + heldMs)
    // The held slots are in use, and the share may come before they are free.
    if (taken.waitMs > 0 && shareInMs > 0) return { ...early, nextMs: Math.min(taken.nextMs, shareInMs) }
    return taken
  }

  if (store.isShared) report()

  return {
    async take(wanted) {
      if (alone) {
        probeIfStopped()
        return takeAlone(alone, 1)
      }
      try {
        return await call(Math.min(wanted, MOST_TURNS))
      } catch {
        return { turns: [], waitMs: 0, shutMs: 0, nextMs: 0 }
      }
    },
    release(id, outcome) {
      const now = clock.now()
      const isUnsent = outcome === 'unsent'
      const freeAt = isUnsent ? now : now + windowMs + MARGIN_MS + (outcome === 'aborted' ? GRACE_MS : 0)
      if (isUnsent) own.slots.delete(id)
      else own.slots.set(id, freeAt)
      unreported.set(id, freeAt)
      if (isUnsent || closed || !store.isShared) report()
      else cancelReport ??= clock.after(windowMs * REPORT_PART, report, false)
    },
    limited(askedMs, sentAt) {
      const now = clock.now()
      // A number in JSON cannot be infinite.
      const retryAfterMs =
        askedMs === undefined ? -1 : Math.min(Math.max(0, Math.ceil(askedMs)), LONGEST_RETRY_AFTER_MS)
      const limited = { retryAfterMs, sentAt, answeredAt: now, jitter: random() }
      const isNew = countLimited(own, { ...limited, sentAgoMs: now - sentAt, agoMs: 0 }, now)
      if (isNew) {
        const [limit, frozenMs] = [limitNow(rules.limit, own, now), Math.ceil(own.frozenUntil - now)]
        emit({ type: 'budget.limit', reason: 'foreign-use', limit, used: seen.used, frozenMs })
      }
      noticeRecovery()
      limiteds.push(limited)
      report()
    },
    freeze: own,
    limit: () => limitNow(rules.limit, own, clock.now()),
    used: () => (alone || !store.isShared ? countHeld() : seen.used),
    instances: () => seen.instances,
    degraded() {
      if (!alone) return undefined
      probeIfStopped()
      const seenOfRedis = alone.reply === undefined ? 'does not respond' : `answers ${alone.reply}`
      return `Redis ${seenOfRedis}. This instance uses at most ${share()} of ${rules.limit} slots on its own.`
    },
    async close() {
      closed = true
      cancelBeat()
      await call(0).catch(() => undefined)
    },
  }
}
