import type { BudgetStore } from '../core/BudgetStore.js'
import type { Clock } from '../core/Clock.js'
import { createMemoryStore } from '../core/rules/createMemoryStore.js'
import type { BudgetEvent } from '../core/events.js'
import type { BudgetAction, BudgetReply, BudgetRules } from '../core/protocol.js'
import type { RedisStore } from './createRedisStore.js'

export interface FallbackStoreOptions {
  readonly remote: RedisStore
  readonly rules: BudgetRules
  readonly clock: Clock
  /** Number of instances to assume until some have been counted. */
  readonly instances: number
  readonly onEvent: (event: BudgetEvent) => void
}

const PROBE_MS = 1_000
const COUNT_HOLDS_MS = 60_000
/** A failure older than this says nothing about the present. */
const STALE_FAILURE_MS = 2_000

/*
 *            a call fails              a window and the grace later
 *   shared -----------------> missing ------------------------------> alone
 *     ^                          |                                      |
 *     |<----- a call works ------'                                      |
 *     '<----- a probe works: all wait for a window ---------------------'
 *
 * `missing` grants nothing: what this instance and the others had from the shared state may still be counted by the upstream. `alone`
 * grants this instance's share of the slots, by the same rules.
 */
type FallbackState =
  | { readonly status: 'shared' }
  | { readonly status: 'missing'; readonly since: number }
  | { readonly status: 'alone'; readonly own: BudgetStore; readonly limit: number; probedAt: number }

/** The shared state, and this instance's share of the slots for as long as the shared state cannot be reached. */
export function createFallbackStore(options: FallbackStoreOptions): BudgetStore {
  const { remote, rules, clock, onEvent } = options
  let state: FallbackState = { status: 'shared' }
  let instances = options.instances
  let countedAt = -Infinity
  let strict = rules.strict
  let epochs = 0

  const callRemote = async (action: BudgetAction): Promise<BudgetReply> => {
    const reply = await remote.call(action)
    // A new state knows only the instances that have called since. For a minute the larger number is used.
    if (reply.instances >= instances || clock.now() - countedAt > COUNT_HOLDS_MS) {
      instances = Math.max(1, reply.instances)
      countedAt = clock.now()
    }
    strict = reply.strict
    if (state.status !== 'shared') {
      state = { status: 'shared' }
      onEvent({ type: 'budget.store-back' })
    }
    return reply
  }

  const miss = (cause: unknown, sentAt: number): FallbackState => {
    const now = clock.now()
    const share = shareOf(rules, instances, strict)
    if (state.status === 'shared') {
      state = { status: 'missing', since: now }
      const event = { type: 'budget.store-lost', limit: share.limit } as const
      // Code can read the cause, and a logger does not print it: it may hold anything.
      onEvent(Object.defineProperty(event, 'cause', { value: cause, enumerable: false }))
    } else if (
      state.status === 'missing' &&
      now - state.since >= rules.windowMs + rules.graceMs &&
      // After a pause of the process the timeout fires before the reply that has already arrived is read.
      now - sentAt < STALE_FAILURE_MS
    ) {
      epochs += 1
      const own = createMemoryStore(share, clock, `alone ${epochs}`)
      state = { status: 'alone', own, limit: share.limit, probedAt: now }
    }
    return state
  }

  const callOwn = async (
    alone: Extract<FallbackState, { status: 'alone' }>,
    action: BudgetAction,
  ): Promise<BudgetReply> => {
    if (clock.now() - alone.probedAt >= PROBE_MS) {
      alone.probedAt = clock.now()
      callRemote({ type: 'poll' }).catch(() => {})
    }
    const reply = await alone.own.call(action)
    if (reply.granted.length > 0) remote.markOwnShareUsed()
    return reply
  }

  return {
    async call(action) {
      if (state.status === 'alone') return callOwn(state, action)
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
      switch (state.status) {
        case 'shared':
          return undefined
        case 'missing':
          return 'Redis does not answer. No request is sent until one window has passed; then this instance uses its share.'
        case 'alone':
          return `Redis does not answer. This instance uses ${state.limit} of ${rules.limit} slots on its own.`
        default:
          return state satisfies never
      }
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
    heartbeatMs: PROBE_MS,
  }
}
