import type { EmitEvent } from '../telemetry/events.js'
import type { RequestSpan } from '../telemetry/Telemetry.js'
import { newId, type Platform } from '../base/platform.js'
import { type Client, RequestContext } from './RequestContext.js'

export type InFlight = ReturnType<typeof createInFlight>

/** The requests that are not answered yet, and the work that continues without a request. */
export function createInFlight(deadlineMs: number, platform: Platform, emit: EmitEvent) {
  const { clock } = platform
  /** Requests, each with a function that cancels the timer of its deadline. */
  const running = new Map<RequestContext, () => void>()
  let held = 0
  const checks = new Set<() => void>()
  const checkAll = (): void => checks.forEach((check) => check())

  /** Resolves when the condition is true, or after `timeoutMs`. */
  const until = (isMet: () => boolean, timeoutMs: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        checks.delete(check)
        cancelTimer()
        resolve()
      }
      const check = (): void => {
        if (isMet()) end()
      }
      const cancelTimer = clock.after(timeoutMs, end)
      checks.add(check)
      check()
    })

  return {
    /** Number of requests. */
    get count(): number {
      return running.size
    },

    /**
     * The context is cancelled at its deadline, or when the client leaves. Call `end` for each request.
     */
    begin(client: Client, span: RequestSpan | undefined): RequestContext {
      const context = new RequestContext(newId(), deadlineMs, platform, emit, span, client)
      running.set(
        context,
        clock.after(deadlineMs, () => context.cancel('deadline')),
      )
      client.onClose(() => context.cancel('client-closed'))
      return context
    },

    end(context: RequestContext): void {
      running.get(context)?.()
      running.delete(context)
      checkAll()
    },

    /** Cancels the requests of an account. Those that are not admitted yet are refused then. */
    cancelOf(account: string): void {
      for (const context of running.keys())
        if (context.isAdmitted && context.account === account) context.cancel('forgotten')
    },

    /** Counts work that belongs to no request, such as a revalidation. Returns the promise of the work. */
    hold: async <TValue>(work: Promise<TValue>): Promise<TValue> => {
      held += 1
      try {
        return await work
      } finally {
        held -= 1
        checkAll()
      }
    },

    /** Resolves when no request and no such work is left, or after the deadline. */
    idle: (): Promise<void> => until(() => running.size === 0 && held === 0, deadlineMs),

    /**
     * Waits until no request is left. After `timeoutMs` it cancels the remaining requests. Returns their
     * number.
     */
    async drain(timeoutMs: number): Promise<number> {
      await until(() => running.size === 0, timeoutMs)
      const left = running.size
      for (const context of running.keys()) context.cancel('shutdown')
      return left
    },
  }
}
