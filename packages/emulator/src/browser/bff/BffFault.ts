import { BFF_ERRORS, type BffErrorCode, codesOf, hasCode } from '@stagepass/contract'

/** A route of the BFF. */
export type BffRoute = 'session-token' | 'meetings' | 'meeting' | 'tags' | 'handshake-check'

/** An error response of the BFF as data, made by `problem` and given to `use`. */
export interface BffFault {
  readonly problem: BffErrorCode
  readonly on: readonly BffRoute[] | undefined
  readonly retryAfterMs: number | undefined
  readonly times: number
}

/** Second argument of `problem`. */
export interface ProblemOptions {
  /** The routes. Default: all. */
  on?: BffRoute | readonly BffRoute[] | undefined
  /** Sent as `Retry-After` and `retry_after_ms`. Default: none. */
  retryAfterMs?: number | undefined
  /** How many requests. After these the fault is used up. Default: no limit. */
  times?: number | undefined
}

/**
 * The BFF itself refuses: `problem('RATE_LIMITED', { retryAfterMs: 2_000 })`. To let the voice service fail, and the BFF answer as it does
 * then, use `fail`, `drop` and the others.
 */
export function problem(code: BffErrorCode, options: ProblemOptions = {}): BffFault {
  const { on, retryAfterMs, times = Infinity } = options
  const act = `Failed to make the fault problem('${code}')`
  if (!hasCode(BFF_ERRORS, code))
    throw new Error(`${act}: the BFF has no such code. Choose one of ${codesOf(BFF_ERRORS).join(', ')}.`)
  if (!(times >= 1)) throw new Error(`${act}: times is ${times}. Give a number from 1, or leave it out.`)
  return { problem: code, on: on === undefined ? undefined : [on].flat(), retryAfterMs, times }
}

/** The faults of the BFF that are in force, newest first. */
export interface BffFaults {
  use(fault: BffFault): () => void
  /** The newest fault for the route. It is used once by that. */
  take(route: BffRoute): BffFault | undefined
  reset(): void
}

export function createBffFaults(): BffFaults {
  let entries: { readonly fault: BffFault; left: number }[] = []
  return {
    use(fault) {
      const entry = { fault, left: fault.times }
      entries = [entry, ...entries]
      return () => {
        entries = entries.filter((other) => other !== entry)
      }
    },
    take(route) {
      const entry = entries.find(({ fault: { on } }) => on === undefined || on.includes(route))
      if (!entry) return undefined
      entry.left -= 1
      if (entry.left <= 0) entries = entries.filter((other) => other !== entry)
      return entry.fault
    },
    reset() {
      entries = []
    },
  }
}
