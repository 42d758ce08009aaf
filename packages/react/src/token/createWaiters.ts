import { onAbort } from '../client/onAbort.js'
import { isVoiceError, VoiceError } from '../VoiceError.js'
import type { LiveToken, TokenOptions } from './TokenSource.js'

/** A caller that waits in `get` or `renew`. */
interface Waiter extends TokenOptions {
  /** The generation that this caller does not accept. */
  readonly notGeneration: number | undefined
  /** A socket was refused with the current token, so the gap between renewals does not delay the request. */
  readonly urgent: boolean
}

type End = (result: LiveToken | VoiceError) => void

/** Holds the waiters until `ended` aborts. `onChange` is called when one is added or aborted. */
export function createWaiters(ended: AbortSignal, onChange: () => void) {
  const ends = new Map<Waiter, End>()

  function endAll(resultFor: (waiter: Waiter) => LiveToken | VoiceError): void {
    for (const [waiter, end] of ends) end(resultFor(waiter))
  }

  onAbort(ended, () => endAll(() => ended.reason as VoiceError))

  return {
    all: (): readonly Waiter[] => [...ends.keys()],
    /** Waits for the end of an attempt. Rejects with ABORTED when `signal` aborts. */
    wait: (waiter: Waiter, signal?: AbortSignal): Promise<LiveToken> =>
      new Promise((resolve, reject) => {
        let forget = (): void => {}
        const end: End = (result) => {
          ends.delete(waiter)
          forget()
          if (isVoiceError(result)) reject(result)
          else resolve(result)
        }
        const abort = (): void => {
          end(new VoiceError('ABORTED', { cause: signal?.reason }))
          onChange()
        }
        if (ended.aborted) return reject(ended.reason as VoiceError)
        if (signal?.aborted) return abort()
        if (signal) forget = onAbort(signal, abort)
        ends.set(waiter, end)
        onChange()
      }),
    /** The attempt succeeded. */
    resolve: (live: LiveToken): void => endAll(() => live),
    /** The attempt failed. Waiters that accept the current token get that token. The others get the error. */
    reject: (error: VoiceError, inHand: LiveToken | undefined): void =>
      endAll(({ notGeneration }) => (inHand && inHand.generation !== notGeneration ? inHand : error)),
  }
}
