import type { BffEvent } from '../events/events.js'
import type { RequestContext } from './RequestContext.js'

type Option = Extract<BffEvent, { type: 'host.misconfigured' }>['option']

/**
 * A problem names paths and origins of requests, and a client can send any. So each option has a bound, which
 * is new after a while: requests that somebody invents do not hide a problem for longer than that.
 */
const MAX_PROBLEMS = 8
const REPORT_AGAIN_MS = 600_000

/**
 * Emits `host.misconfigured`. Every request of a wrong setting has the same problem, so it is reported once
 * in `REPORT_AGAIN_MS`.
 */
export function createHostReport(): (context: RequestContext, option: Option, problem: string) => void {
  const reported = new Map<Option, { readonly since: number; readonly problems: Set<string> }>()
  return ({ id: requestId, emit, platform }, option, problem) => {
    const now = platform.clock.now()
    let recent = reported.get(option)
    if (!recent || now - recent.since >= REPORT_AGAIN_MS)
      reported.set(option, (recent = { since: now, problems: new Set() }))
    if (recent.problems.size === MAX_PROBLEMS || recent.problems.has(problem)) return
    recent.problems.add(problem)
    emit?.({ type: 'host.misconfigured', requestId, option, problem })
  }
}
