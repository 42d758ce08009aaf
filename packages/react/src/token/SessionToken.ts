let wipe: (token: SessionToken) => void

/**
 * A session token that only code can read. It is in no enumerable property, no JSON and no
 * `structuredClone`: only `value` gives it, and only while the token lives. (SECURITY.md, S31.)
 */
export class SessionToken {
  static {
    wipe = (token) => {
      token.#value = ''
    }
  }

  #value: string
  readonly #isDead: () => boolean

  /** @internal `isDead` is true after the token's deadline. */
  constructor(value: string, isDead: () => boolean = () => false) {
    this.#value = value
    this.#isDead = isDead
  }

  /**
   * The secret; empty once the token has expired or its user has left, even if a caller still has this
   * object. Use it at once; do not keep it in state.
   */
  get value(): string {
    if (this.#isDead()) wipe(this)
    return this.#value
  }

  toString(): string {
    return '[session token]'
  }

  toJSON(): string {
    return '[session token]'
  }
}

/** Empties the secret, because old closures and React's previous tree may keep the object for long. */
export function wipeToken(token: SessionToken): void {
  wipe(token)
}

/** A token and the monotonic time from which it is no longer used. */
interface Mortal {
  readonly token: SessionToken
  readonly deadline: number
}

/**
 * Empties tokens whose time is over, because old closures and React's previous tree may keep the object.
 * Holds only weak references.
 */
export function createWiper() {
  const tokens = new Set<{ readonly token: WeakRef<SessionToken>; readonly deadline: number }>()
  return {
    add({ token, deadline }: Mortal): void {
      tokens.add({ token: new WeakRef(token), deadline })
    },
    /** Empties tokens whose time is over; without a time, all. */
    wipe(now = Infinity): void {
      for (const entry of tokens) {
        const token = entry.token.deref()
        // A token that was garbage-collected needs no wiping.
        if (token && now < entry.deadline) continue
        if (token) wipe(token)
        tokens.delete(entry)
      }
    },
  }
}
