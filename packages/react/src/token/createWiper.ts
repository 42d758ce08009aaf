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
        const token = entry.token.deref()
        // What nobody holds any more needs no wiping: a page that reconnects all day keeps no list of its tokens.
        if (token && now < entry.deadline) continue
        token?.wipe()
        tokens.delete(entry)
      }
    },
  }
}
