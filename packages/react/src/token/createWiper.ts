import type { SessionToken } from './SessionToken.js'
import type { LiveToken } from './TokenSource.js'

/**
 * Takes tokens off the heap when their time is over, for old closures and React's spare tree may hold them for long. It does not hold them
 * itself.
 */
export interface Wiper {
  add(live: LiveToken): void
  /** Wipes those whose time is over; without a time, all. */
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
        if (now < entry.deadline) continue
        entry.token.deref()?.wipe()
        tokens.delete(entry)
      }
    },
  }
}
