import type { Identity } from '../identity/Client.js'

/** Detects in a test that data of one user reaches another. */
export interface UserWatch {
  /** The current identity of the page. */
  readonly present: () => Identity
  /** The identity of another user: of one who has left, if there is one. */
  named(user: string): Identity
  /** From now on no action of this identity is allowed. */
  leave(identity: Identity): void
  /** Throws if the identity has left. */
  check(identity: Identity, what: string): void
  /** Throws the errors of `check` again, because the code under test may have caught them. */
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
