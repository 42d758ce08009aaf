import type { BudgetStore } from '../core/BudgetStore.js'
import type { Clock } from '../core/Clock.js'
import { createMemoryStore } from '../core/createMemoryStore.js'
import type { BudgetEvent } from '../core/events.js'
import type { BudgetAction, BudgetReply, BudgetRules } from '../core/protocol.js'
import type { RedisStore } from './createRedisStore.js'

export interface FallbackStoreOptions {
  readonly remote: RedisStore
  readonly rules: BudgetRules
  readonly clock: Clock
  /** Instances to share with while none have been counted yet. */
  readonly instances: number
  readonly onEvent: (event: BudgetEvent) => void
}

const PROBE_MS = 1_000
const COUNT_HOLDS_MS = 60_000
/** A call that failed this long after it was made says nothing about now. */
const STALE_FAILURE_MS = 2_000

/*
 *            a call fails              a window and the grace later
 *   shared -----------------> missing ------------------------------> alone
 *     ^                          |                                      |
 *     |<----- a call works ------'                                      |
 *     '<----- a probe works: everybody waits for a window --------------'
 *
 * `missing` grants nothing: what this instance and the others had from the shared state may still be counted by the upstream. `alone`
 * grants this instance's share of the slots, by the same rules.
 */
type Standing =
  | { readonly status: 'shared' }
  | { readonly status: 'missing'; readonly since: number }
  | { readonly status: 'alone'; readonly own: BudgetStore; readonly limit: number; probedAt: number }

/** The shared state, and this instance's share of the slots for as long as the shared state cannot be reached. */
export function createFallbackStore(options: FallbackStoreOptions): BudgetStore {
  const { remote, rules, clock, onEvent } = options
  let standing: Standing = { status: 'shared' }
  let instances = options.instances
  let countedAt = -Infinity
  let strict = rules.strict
  let lives = 0

  const callRemote = async (action: BudgetAction): Promise<BudgetReply> => {
    const reply = await remote.call(action)
    // A state that has just begun knows only those who have called since: for a minute the larger number holds.
    if (reply.instances >= instances || clock.now() - countedAt > COUNT_HOLDS_MS) {
      instances = Math.max(1, reply.instances)
      countedAt = clock.now()
    }
    strict = reply.strict
    if (standing.status !== 'shared') {
      standing = { status: 'shared' }
      onEvent({ type: 'budget.store-back' })
    }
    return reply
  }

  const miss = (cause: unknown, sentAt: number): Standing => {
    const now = clock.now()
    const share = shareOf(rules, instances, strict)
    if (standing.status === 'shared') {
      standing = { status: 'missing', since: now }
      onEvent(storeLost(share.limit, cause))
    } else if (
      standing.status === 'missing' &&
      now - standing.since >= rules.windowMs + rules.graceMs &&
      // A process that stood still finds its call overdue, and the answer behind it.
      now - sentAt < STALE_FAILURE_MS
    ) {
      lives += 1
      const own = createMemoryStore(share, clock, `alone ${lives}`)
      standing = { status: 'alone', own, limit: share.limit, probedAt: now }
    }
    return standing
  }

  const callOwn = async (
    alone: Extract<Standing, { status: 'alone' }>,
    action: BudgetAction,
  ): Promise<BudgetReply> => {
    if (clock.now() - alone.probedAt >= PROBE_MS) {
      alone.probedAt = clock.now()
      callRemote({ type: 'poll' }).catch(() => {})
    }
    const reply = await alone.own.call(action)
    if (reply.granted.length > 0) remote.owe()
    return reply
  }

  return {
    async call(action) {
      if (standing.status === 'alone') return callOwn(standing, action)
      const sentAt = clock.now()
      try {
        return await callRemote(action)
      } catch (error) {
        const left = miss(error, sentAt)
        if (left.status === 'alone') return callOwn(left, action)
        throw error
      }
    },
    degraded() {
      switch (standing.status) {
        case 'shared':
          return undefined
        case 'missing':
          return 'Redis does not answer. No meetings request is sent until one window has passed; then this instance uses its share.'
        case 'alone':
          return `Redis does not answer. This instance uses ${standing.limit} of ${rules.limit} slots on its own.`
        default:
          return standing satisfies never
      }
    },
  }
}

/** A client's error may hold anything, so no logger prints it; code that asks for it gets it. */
function storeLost(limit: number, cause: unknown): BudgetEvent {
  const event: BudgetEvent = { type: 'budget.store-lost', limit }
  return Object.defineProperty(event, 'cause', { value: cause, enumerable: false })
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
    // It goes on looking for the shared state.
    heartbeatMs: PROBE_MS,
  }
}
