import type { EmitEvent } from '../events/events.js'
import type { RequestSpan } from '../events/Telemetry.js'
import { newId, type Platform } from '../platform/platform.js'
import type { IncomingRequest } from './IncomingRequest.js'
import { RequestContext } from './RequestContext.js'

export type InFlight = ReturnType<typeof createInFlight>

/** The requests that were received and not yet answered, and the work that goes on without one. */
export function createInFlight(deadlineMs: number, platform: Platform, emit: EmitEvent) {
  const { clock } = platform
  /** With what cancels the timer of the deadline. */
  const running = new Map<RequestContext, () => void>()
  let held = 0
  const looks = new Set<() => void>()
  const lookAll = (): void => looks.forEach((look) => look())

  /** Resolves when the condition is met, or after a time. */
  const until = (isMet: () => boolean, timeoutMs: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        looks.delete(look)
        cancelTimer()
        resolve()
      }
      const look = (): void => {
        if (isMet()) end()
      }
      const cancelTimer = clock.after(timeoutMs, end)
      looks.add(look)
      look()
    })

  return {
    /** Of requests. */
    get count(): number {
      return running.size
    },

    /** The context ends with the client's connection, or at the deadline. Call `end` for each. */
    begin(request: IncomingRequest, span: RequestSpan | undefined): RequestContext {
      const context = new RequestContext(newId(), deadlineMs, platform, emit, span)
      running.set(
        context,
        clock.after(deadlineMs, () => context.cancel('deadline')),
      )
      request.onClose(() => context.cancel('client-closed'))
      return context
    },

    end(context: RequestContext): void {
      running.get(context)?.()
      running.delete(context)
      lookAll()
    },

    /** Counts work that belongs to no request, such as a revalidation. Returns it. */
    hold: async <TValue>(work: Promise<TValue>): Promise<TValue> => {
      held += 1
      try {
        return await work
      } finally {
        held -= 1
        lookAll()
      }
    },

    /** Resolves when neither a request nor such work is left, or after a deadline. */
    idle: (): Promise<void> => until(() => running.size === 0 && held === 0, deadlineMs),

    /**
     * Resolves when no request is left, or after `timeoutMs`: then those that are left are cancelled. Returns
     * how many were.
     */
    async drain(timeoutMs: number): Promise<number> {
      await until(() => running.size === 0, timeoutMs)
      const left = running.size
      for (const context of running.keys()) context.cancel('shutdown')
      return left
    },
  }
}
