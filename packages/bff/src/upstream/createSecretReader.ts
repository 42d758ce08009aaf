import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../budget/core/Clock.js'
import { BffError } from '../context/BffError.js'
import { CallEnded, Ending, untilEnded } from '../context/Cancellation.js'
import { withCause } from '../context/createEmitter.js'
import type { EmitEvent } from '../context/events.js'
import { type Secret, secretFault } from '../settings/Secret.js'

/** How long the value of a function is used before the function is asked again, behind the back of the requests. */
export const SECRET_FRESH_MS = 60_000

/** Compares two secrets in a time that does not depend on where they differ. */
export function sameSecret(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

export interface SecretReader {
  /** The value in use. Rejects with `SECRET_UNAVAILABLE`, or with the reason why the call ended. */
  read(call: Ending): string | Promise<string>
  /**
   * The upstream refused `rejected`. Asks again, once for all who ask at this time; `undefined` where nothing else is to be had, for the secret
   * is a plain string or the function insists.
   */
  renew(rejected: string, call: Ending): Promise<string | undefined>
}

export interface SecretReaderOptions {
  /** The option's name, for messages and events. */
  readonly name: string
  readonly secret: Secret
  /** A function that takes longer has failed. */
  readonly timeoutMs: number
  readonly clock: Clock
  readonly emit: EmitEvent
}

/**
 * Reads a secret. A function is called single-flight; its value is used for a minute, then asked for again while the old one still
 * serves; a failure in between changes nothing until the upstream refuses the old one.
 */
export function createSecretReader(options: SecretReaderOptions): SecretReader {
  const { name, secret, timeoutMs, clock, emit } = options
  if (typeof secret === 'string') return { read: () => secret, renew: () => Promise.resolve(undefined) }

  const provider = secret
  let current: { value: string; askAgainAt: number } | undefined
  let asking: Promise<string> | undefined

  const fail = (problem: string, cause?: unknown): never => {
    emit?.(withCause({ type: 'secret.failed', secret: name, problem }, cause))
    throw new BffError('SECRET_UNAVAILABLE')
  }

  const ask = (): Promise<string> => {
    asking ??= askProvider().finally(() => {
      asking = undefined
    })
    return asking
  }

  const askProvider = async (): Promise<string> => {
    const limit = new Ending()
    const cancel = clock.after(timeoutMs, () => limit.end(new CallEnded('deadline')))
    let value: unknown
    try {
      value = await untilEnded(Promise.resolve().then(provider), limit)
    } catch (error) {
      if (limit.ended) return fail(`its function took longer than ${timeoutMs} ms`)
      // Without the message: what the keeper of a secret says may hold it.
      return fail('its function threw', error)
    } finally {
      cancel()
    }
    const fault = secretFault(value)
    if (fault) return fail(fault)
    const checked = value as string // secretFault has seen that it is a string
    current = { value: checked, askAgainAt: clock.now() + SECRET_FRESH_MS }
    return checked
  }

  return {
    read(call) {
      if (!current) return untilEnded(ask(), call)
      if (clock.now() >= current.askAgainAt) {
        current.askAgainAt = clock.now() + SECRET_FRESH_MS
        ask().catch(() => undefined) // the failure has been told as an event; the old value serves
      }
      return current.value
    },

    async renew(rejected, call) {
      // Somebody else has renewed it since this caller read it.
      if (current && !sameSecret(current.value, rejected)) return current.value
      const value = await untilEnded(ask(), call)
      const changed = !sameSecret(value, rejected)
      emit?.({ type: 'secret.renewed', secret: name, changed })
      return changed ? value : undefined
    },
  }
}
