import { isVoiceError, VoiceError } from '../VoiceError.js'
import type { LiveToken, TokenWish } from './TokenSource.js'

/** Someone who has called `get` or `renew` and has no answer yet. */
export interface Waiter extends TokenWish {
  /** A token it would not take. */
  readonly notGeneration: number | undefined
  /** A socket was refused with the token in hand: the gap between renewals does not hold it up. */
  readonly urgent: boolean
}

export interface Waiters {
  all(): readonly Waiter[]
  /** Waits for the end of an attempt. Rejects with ABORTED when `signal` aborts. */
  wait(waiter: Waiter, signal?: AbortSignal): Promise<LiveToken>
  /** The attempt gave a token. */
  resolve(live: LiveToken): void
  /** The attempt failed: those who can go on with the token in hand do, the others are told. */
  reject(error: VoiceError, inHand: LiveToken | undefined): void
}

type End = (result: LiveToken | VoiceError) => void

/** Holds those who wait. `onChange` is called when one comes or gives up. */
export function createWaiters(onChange: () => void): Waiters {
  const ends = new Map<Waiter, End>()

  function endAll(resultFor: (waiter: Waiter) => LiveToken | VoiceError): void {
    for (const [waiter, end] of ends) end(resultFor(waiter))
  }

  return {
    all: () => [...ends.keys()],
    wait: (waiter, signal) =>
      new Promise((resolve, reject) => {
        const end: End = (result) => {
          ends.delete(waiter)
          signal?.removeEventListener('abort', onAbort)
          if (isVoiceError(result)) reject(result)
          else resolve(result)
        }
        const onAbort = (): void => {
          end(new VoiceError('ABORTED', { cause: signal?.reason }))
          onChange()
        }
        if (signal?.aborted) return onAbort()
        signal?.addEventListener('abort', onAbort)
        ends.set(waiter, end)
        onChange()
      }),
    resolve: (live) => endAll(() => live),
    reject: (error, inHand) =>
      endAll(({ notGeneration }) => (inHand && inHand.generation !== notGeneration ? inHand : error)),
  }
}
