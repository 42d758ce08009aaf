import { checkKeys, whole } from './core/check.js'
import type { Clock } from './core/Clock.js'
import type { SessionsEvent } from './core/events.js'
import { readAccount } from './core/readAccount.js'
import type { RedisClient, RedisEval } from './redis/redisClient.js'
import type { Rules } from './sessions/applySessionsCall.js'

/** All instances of an account must have the same options. */
export interface SessionsOptions {
  /**
   * Sessions that the service allows at once, or a function of it, for a number that may change. Default, also
   * of the function: learned from refusals, which the host reports by `refused`.
   */
  readonly max?: number | (() => number | undefined) | undefined
  /** Sessions that one user may have at once. Default: as many as there are. */
  readonly perUser?: number | undefined
  /** Sessions of `max` that stay free, for other programs on the same account. Default 0. */
  readonly reserve?: number | undefined
  /** One queue for all instances, in Redis 7 or Valkey. See `BudgetOptions.redis`. */
  readonly redis?: RedisClient | RedisEval | undefined
  /** Name of the account in Redis: up to 64 letters, digits and `.:_-`. Default `main`. */
  readonly account?: string | undefined
  /** Called with each event. No event names a user. */
  readonly onEvent?: ((event: SessionsEvent) => void) | undefined
  /** For tests. Default: the monotonic clock of the process. */
  readonly clock?: Clock | undefined
}

const FAILED = 'Failed to create the sessions'
const KEYS = Object.keys({
  max: true,
  perUser: true,
  reserve: true,
  redis: true,
  account: true,
  onEvent: true,
  clock: true,
} satisfies Record<keyof SessionsOptions, true>)

const MOST = 100_000

/** What follows from the options. Throws if one is not valid. With a function `max` the rules may change. */
export function readSessionsOptions(options: SessionsOptions) {
  checkKeys(FAILED, options, KEYS)
  const { max, perUser = MOST, reserve = 0 } = options
  if (max === undefined && reserve !== 0)
    throw new TypeError(`${FAILED}: reserve is a part of max. Give max too, or leave reserve out.`)
  const most = typeof max === 'number' ? max : MOST
  const bounds = {
    reserve: whole(FAILED, 'reserve', reserve, 0, Math.max(0, most - 1)),
    perUser: whole(FAILED, 'perUser', perUser, 1, MOST),
  }
  const read = (number: number | undefined): Rules => ({
    max: number === undefined ? 0 : whole(FAILED, 'max', number, 1, MOST),
    ...bounds,
  })
  const fixed = typeof max === 'function' ? undefined : read(max)
  const rules = (): Rules => fixed ?? read(typeof max === 'function' ? max() : max)
  return { ...readAccount(FAILED, options), rules }
}
