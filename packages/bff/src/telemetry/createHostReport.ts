import { LRUCache } from 'lru-cache/raw'
import { withCause } from './withCause.js'
import type { BffEvent, EmitOfAccount, Happening } from './events.js'
import type { Clock } from '../base/platform.js'

/** The part of a request that is reported. */
interface Reporter {
  readonly id: string
  readonly user: string | undefined
  readonly emit: EmitOfAccount
}

type Option = Extract<BffEvent, { type: 'host.misconfigured' }>['option']

/** With a wrong setting every request reports the same problem, so it is repeated only after this time. */
const REPORT_AGAIN_MS = 600_000

/**
 * A bound, because a problem contains paths and origins of requests, and a client can send any. Users have a
 * bound of their own, so that no stranger can use it up.
 */
const MAX_PROBLEMS = 100

/** Emits `host.misconfigured`, once in `REPORT_AGAIN_MS` for each problem. */
export function createHostReport(clock: Clock) {
  const bounds = { max: MAX_PROBLEMS, ttl: REPORT_AGAIN_MS - 1, ttlResolution: 0, perf: clock }
  const ofUsers = new LRUCache<string, true>(bounds)
  const ofStrangers = new LRUCache<string, true>(bounds)
  return (
    { id: requestId, user, emit }: Reporter,
    option: Option,
    problem: string,
    cause?: unknown,
  ): void => {
    const reported = user === undefined ? ofStrangers : ofUsers
    if (reported.has(problem)) return
    if (reported.size === MAX_PROBLEMS && !reported.purgeStale()) return
    reported.set(problem, true)
    emit?.(withCause<Happening>({ type: 'host.misconfigured', requestId, option, problem, user }, cause))
  }
}
