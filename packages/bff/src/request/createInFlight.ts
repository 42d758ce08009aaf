import type { EmitEvent } from '../events/events.js'
import { newId } from '../platform/newId.js'
import type { Platform } from '../platform/platform.js'
import { RequestContext } from './RequestContext.js'
import type { RequestSpan } from '../events/Telemetry.js'
import type { IncomingRequest } from './IncomingRequest.js'

/** The requests that were received and not yet answered, and the work that goes on without one. */
export interface InFlight {
  /** Of requests. */
  readonly count: number
  /** The context ends with the client's connection, or at the deadline. Call `end` for each. */
  begin(request: IncomingRequest, span: RequestSpan | undefined): RequestContext
  end(context: RequestContext): void
  /** Counts work that belongs to no request, such as a revalidation. Returns it. */
  readonly hold: <TValue>(work: Promise<TValue>) => Promise<TValue>
  /** Resolves when neither a request nor such work is left, or after a deadline. */
  idle(): Promise<void>
  /**
   * Resolves when no request is left, or after `timeoutMs`: then those that are left are cancelled. Returns
   * how many were.
   */
  drain(timeoutMs: number): Promise<number>
}

export function createInFlight(deadlineMs: number, platform: Platform, emit: EmitEvent): InFlight {
  const { clock } = platform
  /** With what cancels the timer of the deadline. */
  const running = new Map<RequestContext, () => void>()
  let held = 0
  let whenDrained: (() => void) | undefined
  const whenIdle = new Set<() => void>()

  const look = (): void => {
    if (running.size > 0) return
    whenDrained?.()
    if (held > 0) return
    for (const resolve of whenIdle) resolve()
    whenIdle.clear()
  }

  return {
    get count() {
      return running.size
    },

    begin(request, span) {
      const context = new RequestContext(newId(), deadlineMs, platform, emit, span)
      running.set(
        context,
        clock.after(deadlineMs, () => context.cancel('deadline')),
      )
      request.onClose(() => context.cancel('client-closed'))
      return context
    },

    end(context) {
      running.get(context)?.()
      running.delete(context)
      look()
    },

    async hold(work) {
      held += 1
      try {
        return await work
      } finally {
        held -= 1
        look()
      }
    },

    idle() {
      if (running.size === 0 && held === 0) return Promise.resolve()
      return new Promise((resolve) => {
        const cancelTimer = clock.after(deadlineMs, () => end())
        const end = (): void => {
          whenIdle.delete(end)
          cancelTimer()
          resolve()
        }
        whenIdle.add(end)
      })
    },

    async drain(timeoutMs) {
      if (running.size === 0) return 0
      let cancelTimer: (() => void) | undefined
      await new Promise<void>((resolve) => {
        whenDrained = resolve
        cancelTimer = clock.after(timeoutMs, resolve)
      })
      cancelTimer?.()
      const left = running.size
      for (const context of running.keys()) context.cancel('shutdown')
      return left
    },
  }
}
