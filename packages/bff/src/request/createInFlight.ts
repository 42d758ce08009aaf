import { randomUUID } from 'node:crypto'
import type { EmitEvent } from '../context/events.js'
import type { Platform } from '../context/platform.js'
import { RequestContext } from '../context/RequestContext.js'
import type { RequestSpan } from '../context/Telemetry.js'
import type { IncomingRequest } from './IncomingRequest.js'

/** The requests that were received and not yet answered. */
export interface InFlight {
  readonly count: number
  /** The context ends with the client's connection, or at the deadline. Call `end` for each. */
  begin(request: IncomingRequest, span: RequestSpan | undefined): RequestContext
  end(context: RequestContext): void
  /** Resolves when no request is left, or after `timeoutMs`: then those that are left are cancelled. Returns how many were. */
  drain(timeoutMs: number): Promise<number>
}

export function createInFlight(deadlineMs: number, platform: Platform, emit: EmitEvent): InFlight {
  const { clock } = platform
  /** With what cancels the timer of the deadline. */
  const running = new Map<RequestContext, () => void>()
  let whenIdle: (() => void) | undefined

  return {
    get count() {
      return running.size
    },

    begin(request, span) {
      const context = new RequestContext(randomUUID(), deadlineMs, platform, emit, span)
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
      if (running.size === 0) whenIdle?.()
    },

    async drain(timeoutMs) {
      if (running.size === 0) return 0
      let cancelTimer: (() => void) | undefined
      await new Promise<void>((resolve) => {
        whenIdle = resolve
        cancelTimer = clock.after(timeoutMs, resolve)
      })
      cancelTimer?.()
      const left = running.size
      for (const context of running.keys()) context.cancel('shutdown')
      return left
    },
  }
}
