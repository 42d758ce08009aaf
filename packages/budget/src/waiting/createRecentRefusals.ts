import type { Clock } from '../core/Clock.js'
import type { RefusalReason } from '../core/events.js'
import type { Waiter } from './Waiter.js'

/**
 * For so long the same request of the same user is refused again without a call. After that a place may be
 * free.
 */
const REMEMBERED_MS = 100

interface Refusal {
  readonly reason: RefusalReason
  readonly retryAfterMs: number
}

/** Refusals because of a full queue, so that users who ask again at once cost the store nothing. */
export function createRecentRefusals(clock: Clock) {
  // In order of time, so the expired ones are the first.
  const refusals = new Map<string, Refusal & { readonly at: number }>()
  const nameOf = ({ user, call, background }: Waiter): string => JSON.stringify([user, call, background])

  const expire = (): void => {
    for (const [name, { at }] of refusals) {
      if (clock.now() - at < REMEMBERED_MS) return
      refusals.delete(name)
    }
  }

  return {
    add(waiter: Waiter, { reason, retryAfterMs }: Refusal): void {
      expire()
      if (reason === 'too-late') return
      const name = nameOf(waiter)
      refusals.delete(name)
      refusals.set(name, { reason, retryAfterMs, at: clock.now() })
    },
    find(waiter: Waiter): Refusal | undefined {
      expire()
      const found = refusals.get(nameOf(waiter))
      return found && { reason: found.reason, retryAfterMs: found.retryAfterMs - (clock.now() - found.at) }
    },
  }
}
