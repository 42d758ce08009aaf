import type { Identity } from '../client/Client.js'

/** Notices in a test that something of one user reaches another. */
export interface UserWatch {
  /** The identity that the page has now. */
  readonly present: () => Identity
  /** The identity of a user who is not the present one: of one who has left, if there is one. */
  named(user: string): Identity
  /** From now on nothing of this identity may happen. */
  leave(identity: Identity): void
  /** Throws if the identity has left. */
  check(identity: Identity, what: string): void
  /** Throws what `check` has found before: the code under test may have caught it. */
  readonly throwFound: () => void
}

export function createUserWatch(present: () => Identity): UserWatch {
  const left = new Set<Identity>()
  let found: Error | undefined

  return {
    present,
    named: (user) => [...left].findLast((identity) => identity.user === user) ?? { user, generation: NaN },
    leave: (identity) => void left.add(identity),
    check(identity, what) {
      if (!left.has(identity)) return
      const error = new Error(
        `${what} of ${nameOf(identity)}, who has left. The user is ${nameOf(present())} now.`,
      )
      found ??= error
      throw error
    },
    throwFound() {
      if (found) throw found
    },
  }
}

function nameOf({ user, generation }: Identity): string {
  return `${user === undefined ? 'a user without a name' : (user ?? 'nobody')} (${generation})`
}
