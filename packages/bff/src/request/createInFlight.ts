import type { Response } from 'express'
import type { Clock } from '../budget/core/Clock.js'
import { CallEnded } from '../context/Cancellation.js'
import { Call } from '../context/RequestContext.js'

/** A request and its answer, from arrival to end. */
export interface Exchange {
  readonly call: Call
  readonly startedAtMs: number
  readonly cancelDeadline: () => void
}

/** The requests in flight. */
export interface Exchanges {
  begin(res: Response): Exchange
  /** The answer has been written, or is wanted no more. */
  end(exchange: Exchange): void
  elapsedMs(exchange: Exchange): number
  readonly inFlight: number
  /** Resolves when none is left, or after `patienceMs`, when those that are left are aborted. Returns how many were. */
  drain(patienceMs: number): Promise<number>
}

export function createExchanges(deadlineMs: number, clock: Clock, createId: () => string): Exchanges {
  const running = new Set<Call>()
  let whenIdle: (() => void) | undefined

  return {
    get inFlight() {
      return running.size
    },

    begin(res) {
      const startedAtMs = clock.now()
      const call = new Call(createId(), () => startedAtMs + deadlineMs - clock.now())
      running.add(call)
      // The response's `close`, for the request's comes as soon as a body parser has read it; and only before the end of the answer, for it
      // comes after every answer.
      const onClose = (): void => {
        if (!res.writableEnded) call.end(new CallEnded('client-gone'))
      }
      // It may have come while the host looked up a session.
      if (res.closed) onClose()
      else res.once('close', onClose)
      const cancelDeadline = clock.after(deadlineMs, () => call.end(new CallEnded('deadline')))
      return { call, startedAtMs, cancelDeadline }
    },

    end({ call, cancelDeadline }) {
      cancelDeadline()
      running.delete(call)
      if (running.size === 0) whenIdle?.()
    },

    elapsedMs: ({ startedAtMs }) => clock.now() - startedAtMs,

    async drain(patienceMs) {
      if (running.size === 0) return 0
      let cancel: (() => void) | undefined
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve
        cancel = clock.after(patienceMs, resolve)
      })
      await idle
      cancel?.()
      const left = running.size
      for (const call of running) call.end(new CallEnded('shutdown'))
      return left
    },
  }
}
