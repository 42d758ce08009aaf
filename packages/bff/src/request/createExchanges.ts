import type { Response } from 'express'
import type { Clock } from '../budget/Clock.js'
import { CallEnded } from '../errors.js'
import type { Call } from './Call.js'

/** A request and its answer, from arrival to end. */
export interface Exchange {
  readonly call: Call
  /** True where the client left before its answer was written. */
  readonly abandoned: boolean
  elapsedMs(): number
  /** Lets go of timer and listener. Called once, when the answer has been written or is wanted no more. */
  end(): void
}

/** The requests in flight. */
export interface Exchanges {
  begin(res: Response): Exchange
  readonly inFlight: number
  /** Resolves when none is left, or after `patienceMs`, when those that are left are aborted. Returns how many were. */
  drain(patienceMs: number): Promise<number>
}

export function createExchanges(deadlineMs: number, clock: Clock, createId: () => string): Exchanges {
  const running = new Set<AbortController>()
  let whenIdle: (() => void) | undefined

  return {
    get inFlight() {
      return running.size
    },

    begin(res) {
      const controller = new AbortController()
      const startedAt = clock.now()
      let abandoned = false
      running.add(controller)
      const cancelDeadline = clock.after(deadlineMs, () => controller.abort(new CallEnded('deadline')))
      // The response's `close`, for the request's comes as soon as a body parser has read it; and only before the end of the answer, for it
      // comes after every answer.
      const onClose = (): void => {
        if (res.writableEnded) return
        abandoned = true
        controller.abort(new CallEnded('client-gone'))
      }
      res.once('close', onClose)
      return {
        call: {
          id: createId(),
          signal: controller.signal,
          stage: 'authorize',
          remainingMs: () => startedAt + deadlineMs - clock.now(),
        },
        get abandoned() {
          return abandoned
        },
        elapsedMs: () => clock.now() - startedAt,
        end() {
          cancelDeadline()
          res.off('close', onClose)
          running.delete(controller)
          if (running.size === 0) whenIdle?.()
        },
      }
    },

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
      for (const controller of running) controller.abort(new CallEnded('shutdown'))
      return left
    },
  }
}
