import type { RequestContext } from './RequestContext.js'

/** Emits `host.misconfigured`. */
export type ReportHost = (context: RequestContext, option: 'basePath' | 'origin', problem: string) => void

/** A problem names paths and origins of requests. Strangers can send any, so there is a bound. */
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
