import type { BudgetStore } from '../core/BudgetStore.js'
import type { Clock } from '../core/Clock.js'
import type { BudgetEvent } from '../core/events.js'
import type { BudgetAction, BudgetReply, BudgetRules } from '../core/protocol.js'
import { createOwnSlots } from './createOwnSlots.js'
import type { CallExtras, RedisStore } from './createRedisStore.js'

interface FallbackStoreOptions {
  readonly remote: RedisStore
  readonly rules: BudgetRules
  readonly clock: Clock
  /** Number of instances to assume until some have been counted. */
  readonly instances: number
  readonly onEvent: (event: BudgetEvent) => void
}

type Actions = readonly BudgetAction[]

/**
 * Redis is lost if no call had a reply for so long, and this instance is so late that the shared state keeps
 * its slots.
 */
const LOST_MS = 750
const LATE_MS = 750
/** From when on the shared state keeps the slots of an instance that is late (core/rules/noticeApart.ts). */
const KEPT_AFTER_MS = 500
/** A report that arrives later than this after it was sent is not used (core/rules/applyOp.ts). */
const REPORT_MS = 750
/**
 * After so much silence a call has said that it is silent, if Redis runs the calls and only the replies are
 * lost. Until then the shared state does not know that this instance is apart from it.
 */
const HEARD_MS = 1_000
const SECOND_MS = 1_000
/** Redis is tried this often while it does not respond. */
const PROBE_MS = 250
/** A failure older than this says nothing about the present. */
const STALE_FAILURE_MS = 2_000
const COUNT_HOLDS_MS = 60_000

/*
 *      .---------- a reply says that a report is awaited ----------.
 *      |                                                           v
 *   shared ---no reply for a while--> lost ----a call works---> returning
 *     ^ ^                               ^                        |   |
 *     | '-------------------------------'----the report fails----'   |
 *     '------------------------------------------the report works----'
 *
 * `lost`: this instance uses the slots that it holds, as they come free, and never more than its share. So
 * all instances together do not hold more than at the loss. After a window no slot of that time counts, and
 * each may use its whole share. `returning`: no slot is granted, and the shared state gets a report of all
 * slots of this instance. Until its reply no other call is made: its grants would not be in the report.
 */
type FallbackState = StableState | ReturningState
type StableState =
  { readonly status: 'shared' } | { readonly status: 'lost'; readonly since: number; readonly held: number }
interface ReturningState {
  readonly status: 'returning'
  readonly from: StableState
  readonly over: Promise<void>
}

/**
 * The shared state, and this instance's share of the slots for as long as the shared state cannot be reached.
 */
export function createFallbackStore(options: FallbackStoreOptions): BudgetStore {
  const { remote, rules, clock, onEvent } = options
  const own = createOwnSlots(rules, clock)
  const pending = new Set<Promise<unknown>>()
  let state: FallbackState = { status: 'shared' }
  let instances = options.instances
  let countedAt = -Infinity
  let strict = rules.strict
  let dueAt = clock.now()
  let frozenUntil = 0
  let silentSince: number | undefined
  let failedAt = -Infinity
  let cause: unknown
  let watching = false
  let closed = false

  const share = (): BudgetRules => shareOf(rules, instances, strict)

  const callRemote = async (actions: Actions, extras?: CallExtras): Promise<BudgetReply> => {
    const sentAt = clock.now()
    silentSince ??= sentAt
    watch()
    const call = remote.call(actions, extras)
    pending.add(call)
    try {
      const reply = await call
      pending.delete(call)
      own.noteReply(reply)
      onReply(reply)
      return reply
    } catch (error) {
      pending.delete(call)
      // After a pause of the process the timeout fires before the reply that has already arrived is read.
      if (clock.now() - sentAt < STALE_FAILURE_MS) {
        failedAt = clock.now()
        cause = error
      }
      lose()
      throw error
    }
  }

  const onReply = (reply: BudgetReply): void => {
    const now = clock.now()
    silentSince = pending.size > 0 ? now : undefined
    dueAt = now + reply.nextMs
    frozenUntil = now + reply.frozenMs
    // A new state knows only the instances that have called since. For a minute the larger number is used.
    if (reply.instances >= instances || now - countedAt > COUNT_HOLDS_MS) {
      instances = Math.max(1, reply.instances)
      countedAt = now
    }
    strict = reply.strict
    if (state.status === 'lost' || (state.status === 'shared' && reply.apart))
      state = { status: 'returning', from: state, over: comeBack(state) }
  }

  /** Redis has failed, and has been silent for long enough. */
  const lose = (): void => {
    const now = clock.now()
    if (state.status !== 'shared' || silentSince === undefined) return
    if (now - silentSince < LOST_MS || now < dueAt + LATE_MS || !failedLately()) return
    const keptFrom = Math.max(dueAt + KEPT_AFTER_MS, silentSince + HEARD_MS)
    state = { status: 'lost', since: silentSince, held: own.held(keptFrom) }
    // In strict mode the others may have used the last second, up to the time from which they leave this
    // instance its share.
    const secondOver = keptFrom + SECOND_MS + rules.graceMs
    own.begin(strict ? Math.max(frozenUntil, secondOver) : frozenUntil)
    const event = { type: 'budget.store', reason: 'lost', limit: share().limit } as const
    // Code can read the cause, and a logger does not print it: it may hold anything.
    onEvent(Object.defineProperty(event, 'cause', { value: cause, enumerable: false }))
  }

  const failedLately = (): boolean => clock.now() - failedAt < STALE_FAILURE_MS

  /** Tries Redis again and again until it responds. */
  const watch = (): void => {
    if (watching) return
    watching = true
    const startedAt = clock.now()
    const tick = (): void => {
      watching = false
      const now = clock.now()
      if (silentSince === undefined || closed) return
      // The process stood still: what it has not read may have come in time.
      if (now - startedAt > 2 * PROBE_MS) silentSince = now
      lose()
      watch()
      // One at a time while Redis is lost: it would have to run all of them later.
      if (state.status === 'shared' || (state.status === 'lost' && pending.size === 0)) probe()
    }
    clock.after(PROBE_MS, tick, false)
  }

  /** A call of this store's own: it is granted nothing, and its notices have no other reader. */
  const poll = async (report?: CallExtras): Promise<void> => {
    const reply = await callRemote([], { ...report, ungranted: true })
    for (const notice of reply.notices) onEvent(notice)
  }

  const probe = (): void => void poll().catch(() => {})

  const comeBack = async (from: StableState): Promise<void> => {
    while (pending.size > 0) await Promise.allSettled(pending)
    own.end()
    const sentAt = clock.now()
    try {
      await poll({ own: own.report() })
      state = { status: 'shared' }
      if (from.status === 'lost') onEvent({ type: 'budget.store', reason: 'back' })
    } catch {
      // The state may have the report, and keep none of these slots until this instance is late for its next
      // call.
      dueAt = sentAt + REPORT_MS + rules.heartbeatMs
      state =
        from.status === 'lost' ? { ...from, since: sentAt, held: own.held(dueAt + KEPT_AFTER_MS) } : from
    }
  }

  const isLost = (): boolean => state.status === 'lost'

  const callOwn = (actions: Actions): BudgetReply => {
    if (state.status !== 'lost') throw new Error('Redis has only just responded again.')
    const part = share()
    const alone = clock.now() - state.since >= rules.windowMs + rules.graceMs
    const limit = alone ? part.limit : Math.min(part.limit, state.held)
    if (limit === 0 || !failedLately()) throw new Error('Redis does not respond.', { cause })
    return own.call(actions, { ...part, limit, burst: Math.min(part.burst, limit) })
  }

  return {
    async call(actions) {
      own.note(actions)
      closed ||= actions.some(({ type }) => type === 'bye')
      if (state.status === 'returning') await state.over
      if (isLost()) return callOwn(actions)
      try {
        return await callRemote(actions)
      } catch (error) {
        if (isLost()) return callOwn(actions)
        throw error
      }
    },
    degraded() {
      const { status } = state.status === 'returning' ? state.from : state
      return status === 'shared'
        ? undefined
        : `Redis does not respond. This instance uses at most ${share().limit} of ${rules.limit} slots on its own.`
    },
  }
}

/** An equal part for each instance, and always at least one slot. */
function shareOf(rules: BudgetRules, instances: number, strict: boolean): BudgetRules {
  const part = (whole: number): number => Math.max(1, Math.floor(whole / instances))
  return {
    ...rules,
    limit: part(rules.limit),
    burst: part(rules.burst),
    strictPerSecond: part(rules.strictPerSecond),
    strict,
    // Each heartbeat tries the shared state again.
    heartbeatMs: 1_000,
  }
}
