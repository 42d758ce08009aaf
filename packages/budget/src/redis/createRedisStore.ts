import { type Clock, withTimeout } from '../core/Clock.js'
import type {
  BudgetAction,
  BudgetOp,
  BudgetReply,
  BudgetRules,
  CallBefore,
  OwnSlot,
} from '../core/protocol.js'
import { BUDGET_SCRIPT } from './budgetScript.js'
import { createClockWatch } from './createClockWatch.js'
import { parseReply } from './parseReply.js'
import type { RedisEval } from './redisClient.js'

export interface RedisStoreOptions {
  readonly run: RedisEval
  readonly account: string
  readonly instance: string
  readonly rules: BudgetRules
  readonly clock: Clock
}

export interface CallExtras {
  /** A report of this instance's slots, if it may have used them without the shared state. */
  readonly own?: readonly OwnSlot[]
  /** This call is granted nothing. */
  readonly ungranted?: boolean
}

export interface RedisStore {
  call(actions: readonly BudgetAction[], extras?: CallExtras): Promise<BudgetReply>
}

/** A call that takes longer counts as failed. */
const CALL_TIMEOUT_MS = 1_000
const LATE = `Redis did not answer within ${CALL_TIMEOUT_MS} ms.`
/** Longer than any part of the state is needed. Heartbeats of instances without work keep it. */
const STATE_TTL_MS = 3_600_000

/** The state in Redis or Valkey, in the name of one instance. */
export function createRedisStore(options: RedisStoreOptions): RedisStore {
  const { run, instance, rules, clock } = options
  // One key, so that a cluster keeps an account on one node.
  const keys = [`stagepass:{${options.account}}:budget`]
  const rulesJson = JSON.stringify(rules)
  let epoch = ''
  let seen = 0
  let epochs = 0
  let after: CallBefore = 'answer'
  let answeredAt = clock.now()
  /** The store's time of the last answered call, and this process's: between sending and answer. */
  let read: { readonly storeAt: number; readonly at: number } | undefined
  const watchClock = createClockWatch(clock)

  const settled = async (reply: Promise<unknown>): Promise<unknown> => {
    try {
      return await withTimeout(reply, clock, CALL_TIMEOUT_MS, LATE)
    } catch (error) {
      if (after === 'answer') after = 'silence'
      throw error
    }
  }

  return {
    async call(actions, { own, ungranted = false } = {}) {
      epochs += 1
      const sentAt = clock.now()
      const op: BudgetOp = {
        instance,
        epoch,
        seen,
        newEpoch: `${instance}.${epochs}`,
        after: ungranted ? 'silence' : after,
        silentMs: Math.floor(sentAt - answeredAt),
        sentAt: read === undefined ? 0 : Math.floor(read.storeAt + sentAt - read.at),
        own,
        actions,
      }
      const args = [rulesJson, JSON.stringify(op), String(STATE_TTL_MS)]
      const answer = parseReply(await settled(run(BUDGET_SCRIPT, keys, args)))
      const reply = watchClock(answer, sentAt)
      if (reply.notices.some((notice) => notice.type === 'budget.clock-stepped' && notice.byMs > 0))
        after = 'clock-step'
      else if (after === op.after) after = 'answer'
      answeredAt = clock.now()
      read = { storeAt: reply.at, at: (sentAt + answeredAt) / 2 }
      // Replies can arrive in another order.
      seen = reply.epoch === epoch ? Math.max(seen, reply.calls) : reply.calls
      epoch = reply.epoch
      return reply
    },
  }
}
