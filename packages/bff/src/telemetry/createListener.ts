import type { Seen } from '@stagepass/contract'
import type { BffEvent, EmitEvent } from './events.js'

type Listener = (event: BffEvent) => unknown

/**
 * Calls each listener with each event. An error in a listener, even a later rejection, affects neither the
 * request nor the next listener. `redact` removes secrets from the texts that may contain words of others.
 * (security.md, S60.)
 */
export function createListener(
  redact: (text: string) => string,
  ...given: readonly (Listener | undefined)[]
): EmitEvent {
  const listeners = given.filter((listener) => listener !== undefined)
  if (listeners.length === 0) return undefined
  return (event) => {
    // The event is new, and a copy would lose its cause.
    if ('problem' in event) Object.assign(event, { problem: redact(event.problem) })
    if ('seen' in event && event.seen) Object.assign(event, { seen: withoutSecrets(event.seen, redact) })
    for (const listener of listeners) {
      try {
        const returned = listener(event)
        if (returned instanceof Promise) returned.catch(() => undefined)
      } catch {
        // The listener itself failed, so there is no place to report it.
      }
    }
  }
}

function withoutSecrets({ cause, ...values }: Seen, redact: (text: string) => string): Seen {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? redact(value) : value,
  ])
  return { cause, ...Object.fromEntries(shown) }
}
