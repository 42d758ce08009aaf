import type { Clock } from '../platform/platform.js'
import { BffError } from '../errors/BffError.js'
import { Cancelled, untilAborted } from '../errors/Cancelled.js'
import { withCause } from '../events/createListener.js'
import type { EmitEvent } from '../events/events.js'
import { sameText } from '../crypto/sameText.js'
import type { InFlight } from '../request/createInFlight.js'
import { type Secret, secretProblem } from '../settings/Secret.js'

/** How long a function's value is used before the function is called again in the background. */
export const SECRET_FRESH_MS = 60_000

export interface SecretReader {
  /** The value in use. Rejects with `SECRET_UNAVAILABLE`, or with the reason of the signal. */
  read(signal: AbortSignal): string | Promise<string>
  /**
   * After the upstream refused `rejected`: calls the function again, once for all callers of this time.
   * `undefined` if the secret is a plain string, or if the function returns the same value.
   */
  renew(rejected: string, signal: AbortSignal): Promise<string | undefined>
}

export interface SecretReaderOptions {
  /** The option's name, for messages and events. */
  readonly name: string
  readonly secret: Secret
  /** If the function takes longer, it has failed. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly emit: EmitEvent
  /** Takes work that goes on after the response. */
  readonly hold: InFlight['hold']
}

/**
 * Reads a secret. Concurrent readers share one call of a function. Its value is used for a minute. Then the
 * function is called again while the old value is used. If that call fails, the old value stays in use until
 * the upstream refuses it.
 */
export function createSecretReader(options: SecretReaderOptions): SecretReader {
  const { name, secret, timeoutMs, clock, emit, hold } = options
  if (typeof secret === 'string') return { read: () => secret, renew: () => Promise.resolve(undefined) }

  const provider = secret
  let current: { value: string; askAgainAt: number } | undefined
  let asking: Promise<string> | undefined

  const fail = (problem: string, cause?: unknown): never => {
    emit?.(withCause({ type: 'secret.failed', secret: name, problem }, cause))
    throw new BffError('SECRET_UNAVAILABLE')
  }

  const ask = (): Promise<string> => {
    asking ??= hold(askProvider()).finally(() => {
      asking = undefined
    })
    return asking
  }

  const askProvider = async (): Promise<string> => {
    const limit = new AbortController()
    const cancel = clock.after(timeoutMs, () => limit.abort(new Cancelled('deadline')))
    let value: unknown
    try {
      value = await untilAborted(Promise.resolve().then(provider), limit.signal)
    } catch (error) {
      if (limit.signal.aborted) return fail(`its function took longer than ${timeoutMs} ms`)
      // The message is left out: an error of a secret store may contain the secret.
      return fail('its function threw', error)
    } finally {
      cancel()
    }
    const problem = secretProblem(value)
    if (problem) return fail(problem)
    const checked = value as string // secretProblem has seen that it is a string
    current = { value: checked, askAgainAt: clock.now() + SECRET_FRESH_MS }
    return checked
  }

  return {
    read(signal) {
      if (!current) return untilAborted(ask(), signal)
      if (clock.now() >= current.askAgainAt) {
        current.askAgainAt = clock.now() + SECRET_FRESH_MS
        ask().catch(() => undefined) // an event has reported the failure; the old value stays in use
      }
      return current.value
    },

    async renew(rejected, signal) {
      // Another caller has renewed it since this caller read it.
      if (current && !sameText(current.value, rejected)) return current.value
      const value = await untilAborted(ask(), signal)
      const changed = !sameText(value, rejected)
      emit?.({ type: 'secret.renewed', secret: name, changed })
      return changed ? value : undefined
    },
  }
}
