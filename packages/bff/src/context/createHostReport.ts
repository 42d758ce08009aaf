import type { BffEvent } from './events.js'
import type { RequestContext } from './RequestContext.js'

type Option = Extract<BffEvent, { type: 'host.misconfigured' }>['option']

/** Emits `host.misconfigured`. */
export type ReportHost = (context: RequestContext, option: Option, problem: string) => void

/** A problem names paths and origins of requests. A client can send any, so there is a bound. */
const MAX_PROBLEMS = 16

/** Reports each problem once: every request of a wrong setting has it. */
export function createHostReport(): ReportHost {
  const reported = new Set<string>()
  return ({ id: requestId, emit }, option, problem) => {
    if (reported.size === MAX_PROBLEMS || reported.has(problem)) return
    reported.add(problem)
    emit?.({ type: 'host.misconfigured', requestId, option, problem })
  }
}
