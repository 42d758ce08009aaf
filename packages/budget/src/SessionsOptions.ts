import { checkKeys, hasMethods, shown } from './core/check.js'
import type { Clock } from './core/Clock.js'
import type { SessionsEvent } from './core/events.js'
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

/**
 * The rules that follow from the options. Throws if one is not valid. With a function `max` they may be others
 * at each call.
 */
export function sessionsRules(options: SessionsOptions): () => Rules {
  checkKeys(FAILED, options, KEYS)
  const { max, perUser = MOST, reserve = 0, onEvent, clock } = options
  if (onEvent !== undefined && typeof onEvent !== 'function')
    throw new TypeError(`${FAILED}: onEvent is ${shown(onEvent)}. Give a function, or leave it out.`)
  if (clock !== undefined && !hasMethods(clock, 'now', 'after'))
    throw new TypeError(`${FAILED}: clock has no methods now and after. Leave it out, or give a Clock.`)
  if (max === undefined && reserve !== 0)
    throw new TypeError(`${FAILED}: reserve is a part of max. Give max too, or leave reserve out.`)
  const most = typeof max === 'number' ? max : MOST
  const rules = {
    reserve: whole('reserve', reserve, 0, Math.max(0, most - 1)),
    perUser: whole('perUser', perUser, 1, MOST),
  }
  const read = (number: number | undefined): Rules => ({
    max: number === undefined ? 0 : whole('max', number, 1, MOST),
    ...rules,
  })
  if (typeof max === 'function') return () => read(max())
  const fixed = read(max)
  return () => fixed
}

function whole(name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${FAILED}: ${name} is ${shown(value)}. Give a whole number from ${min} to ${max}.`)
}
