import type { SessionToken } from './SessionToken.js'
import type { LiveToken } from './TokenSource.js'

/**
 * Empties tokens whose time is over, because old closures and React's previous tree may keep the object.
 * Holds only weak references.
 */
export interface Wiper {
  add(live: LiveToken): void
  /** Empties tokens whose time is over; without a time, all. */
  wipe(now?: number): void
}

export function createWiper(): Wiper {
  const tokens = new Set<{ readonly token: WeakRef<SessionToken>; readonly deadline: number }>()
  return {
    add({ token, deadline }) {
      tokens.add({ token: new WeakRef(token), deadline })
    },
    wipe(now = Infinity) {
      for (const entry of tokens) {
        const token = entry.token.deref()
        // A token that was garbage-collected needs no wiping.
        if (token && now < entry.deadline) continue
        token?.wipe()
        tokens.delete(entry)
      }
    },
  }
}
