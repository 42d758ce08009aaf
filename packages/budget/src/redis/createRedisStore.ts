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
import type { RedisEval } from './redisClient.js'

interface RedisStoreOptions {
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

export type RedisStore = ReturnType<typeof createRedisStore>

/** A call that takes longer counts as failed. */
const CALL_TIMEOUT_MS = 1_000
const LATE = `Redis did not respond within ${CALL_TIMEOUT_MS} ms.`
/** Longer than any part of the state is needed. Heartbeats of instances without work keep it. */
const STATE_TTL_MS = 3_600_000

/** The state in Redis or Valkey, in the name of one instance. */
export function createRedisStore(options: RedisStoreOptions) {
  const { run, instance, rules, clock } = options
  // One key, so that a cluster keeps an account on one node.
  const keys = [`stagepass:{${options.account}}:budget`]
  const rulesJson = JSON.stringify(rules)
  let epoch = ''
  let seen = 0
  let epochs = 0
  let after: CallBefore = 'reply'
  let repliedAt = clock.now()
  /** The store's time of the last reply, and this process's: the middle of sending and reading. */
  let read: { readonly storeAt: number; readonly at: number } | undefined
  const watchClock = createClockWatch(clock)

  const settled = async (reply: Promise<unknown>): Promise<unknown> => {
    try {
      return await withTimeout(reply, clock, CALL_TIMEOUT_MS, LATE)
    } catch (error) {
      if (after === 'reply') after = 'silence'
      throw error
    }
  }

  return {
    /** One call, applied as a whole or not at all. */
    async call(
      actions: readonly BudgetAction[],
      { own, ungranted = false }: CallExtras = {},
    ): Promise<BudgetReply> {
      epochs += 1
      const sentAt = clock.now()
      const op: BudgetOp = {
        instance,
        epoch,
        seen,
        newEpoch: `${instance}.${epochs}`,
        after: ungranted ? 'silence' : after,
        silentMs: Math.floor(sentAt - repliedAt),
        sentAt: read === undefined ? 0 : Math.floor(read.storeAt + sentAt - read.at),
        own,
        actions,
      }
      const args = [rulesJson, JSON.stringify(op), String(STATE_TTL_MS)]
      const reply = watchClock(parseReply(await settled(run(BUDGET_SCRIPT, keys, args))), sentAt)
      if (reply.notices.some((notice) => notice.reason === 'clock-stepped' && notice.byMs > 0))
        after = 'clock-step'
      else if (after === op.after) after = 'reply'
      repliedAt = clock.now()
      read = { storeAt: reply.at, at: (sentAt + repliedAt) / 2 }
      // Replies can arrive in another order.
      seen = reply.epoch === epoch ? Math.max(seen, reply.calls) : reply.calls
      epoch = reply.epoch
      return reply
    },
  }
}

/** The script's reply. Lua writes an empty list as an empty object, so lists are restored here. */
export function parseReply(text: unknown): BudgetReply {
  // A host's client may be set to return bytes.
  const json = text instanceof Uint8Array ? new TextDecoder().decode(text) : text
  if (typeof json !== 'string') throw new TypeError('The budget script gave no text.')
  const reply = JSON.parse(json) as Record<string, unknown>
  for (const name of ['granted', 'shared', 'waiting', 'covered', 'refused', 'frees', 'notices'])
    if (!Array.isArray(reply[name])) reply[name] = []
  return reply as unknown as BudgetReply // our own script wrote it
}
