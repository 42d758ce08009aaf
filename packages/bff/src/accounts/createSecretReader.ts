import { sameText } from '../base/sameText.js'
import { BffError } from '../base/BffError.js'
import { Cancelled } from '../request/Cancelled.js'
import { untilAborted } from '../request/untilAborted.js'
import { withCause } from '../telemetry/withCause.js'
import type { EmitOfAccount } from '../telemetry/events.js'
import type { Clock } from '../base/platform.js'
import type { InFlight } from '../request/createInFlight.js'
import { type Secret, secretProblem } from '../base/Secret.js'

/** Time for which a function's value is used before the function is called again in the background. */
export const SECRET_FRESH_MS = 60_000

export interface SecretReader {
  /** The newest one: each request may bring another function that returns the same secret. */
  secret: Secret
  /** Returns the current value. Rejects with `SECRET_UNAVAILABLE` or with the signal's reason. */
  read(signal: AbortSignal): string | Promise<string>
  /**
   * Call it after the upstream refused the value `rejected`. Calls the function again, once for all
   * concurrent callers. Returns `undefined` if there is no other value.
   */
  renew(rejected: string, signal: AbortSignal): Promise<string | undefined>
}

export interface SecretReaderOptions {
  /** The option's name, for messages and events. */
  readonly name: string
  readonly secret: Secret
  /** If the function takes longer, it counts as failed. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly emit: EmitOfAccount
  /** Registers work that continues after the response. */
  readonly hold: InFlight['hold']
  /** Called with each value, so that it can be removed from texts of others. */
  readonly note: (secret: string) => void
}

/**
 * Reads a secret. Concurrent readers share one call of the function. Its value is used for a minute. Then the
 * function is called again, and until it returns the old value is used. If the call fails, the old value
 * stays in use until the upstream refuses it. A plain string is used as it is.
 */
export function createSecretReader(options: SecretReaderOptions): SecretReader {
  const { name, timeoutMs, clock, emit, hold, note } = options
  let current: { value: string; askAgainAt: number } | undefined
  let asking: Promise<string> | undefined

  /** Calls the function. An error of a secret store may contain the secret, so its message is not used. */
  const callProvider = async (provide: () => string | Promise<string>): Promise<string> => {
    const limit = new AbortController()
    const cancel = clock.after(timeoutMs, () => limit.abort(new Cancelled('deadline')))
    let problem: string | undefined
    let cause: unknown
    try {
      const value: unknown = await untilAborted(Promise.resolve().then(provide), limit.signal)
      if (typeof value === 'string') note(value.trim())
      problem = secretProblem(value)
      if (problem === undefined) {
        current = { value: String(value), askAgainAt: clock.now() + SECRET_FRESH_MS }
        return current.value
      }
    } catch (error) {
      problem = limit.signal.aborted ? `its function took longer than ${timeoutMs} ms` : 'its function threw'
      cause = limit.signal.aborted ? undefined : error
    } finally {
      cancel()
    }
    emit?.(withCause({ type: 'secret.failed', secret: name, problem }, cause))
    throw new BffError('SECRET_UNAVAILABLE')
  }

  const ask = (provide: () => string | Promise<string>): Promise<string> =>
    (asking ??= hold(callProvider(provide)).finally(() => {
      asking = undefined
    }))

  return {
    secret: options.secret,

    read(signal) {
      const { secret } = this
      if (typeof secret === 'string') return secret
      if (!current) return untilAborted(ask(secret), signal)
      if (clock.now() >= current.askAgainAt) {
        current.askAgainAt = clock.now() + SECRET_FRESH_MS
        ask(secret).catch(() => undefined) // an event reports a failure, and the old value stays in use
      }
      return current.value
    },

    async renew(rejected, signal) {
      const { secret } = this
      if (typeof secret === 'string') return sameText(secret, rejected) ? undefined : secret
      // Another caller has renewed it since this caller read it.
      if (current && !sameText(current.value, rejected)) return current.value
      const began = asking
      let value = await untilAborted(ask(secret), signal)
      // That call began before the refusal, and may have read the old value.
      if (began && sameText(value, rejected)) value = await untilAborted(ask(secret), signal)
      const changed = !sameText(value, rejected)
      emit?.({ type: 'secret.renewed', secret: name, changed })
      return changed ? value : undefined
    },
  }
}
