/**
 * The secrets. Not private fields: the preset of React Native turns those into properties that every tool
 * shows.
 */
const secrets = new WeakMap<SessionToken, string>()

/**
 * A session token that only code can read. No enumerable property, no JSON and no `structuredClone` contains
 * it. Only `value` returns it, and only while the token is valid. (security.md, S31.)
 */
export class SessionToken {
  readonly #isDead: () => boolean
  readonly #reqId: string | undefined

  /** @internal `isDead` is true after the token's deadline. */
  constructor(value: string, isDead: () => boolean = () => false, reqId?: string) {
    secrets.set(this, value)
    this.#isDead = isDead
    this.#reqId = reqId
  }

  /**
   * The secret. Empty after the token has expired or its user has changed, even if a caller still has this
   * object. Use it at once; do not keep it in state.
   */
  get value(): string {
    if (this.#isDead()) wipeToken(this)
    return secrets.get(this) ?? ''
  }

  /**
   * The service's id of the request that issued the token, to be quoted to its support. `undefined` if it sent
   * none. It is no secret.
   */
  get reqId(): string | undefined {
    return this.#reqId
  }

  toString(): string {
    return '[session token]'
  }

  toJSON(): string {
    return '[session token]'
  }
}

/** Empties the secret, because old closures and React's previous tree may keep the object for a long time. */
export function wipeToken(token: SessionToken): void {
  secrets.delete(token)
}

/** A token and the monotonic time from which it is no longer used. */
interface Expiring {
  readonly token: SessionToken
  readonly deadline: number
}

/**
 * Empties expired tokens, because old closures and React's previous tree may keep the object. Has only weak
 * references.
 */
export function createWiper() {
  const tokens = new Set<{ readonly token: WeakRef<SessionToken>; readonly deadline: number }>()
  return {
    add({ token, deadline }: Expiring): void {
      tokens.add({ token: new WeakRef(token), deadline })
    },
    /** Empties tokens that have expired at `now`. Default: all tokens. */
    wipe(now = Infinity): void {
      for (const entry of tokens) {
        const token = entry.token.deref()
        // A garbage-collected token needs no wiping.
        if (token && now < entry.deadline) continue
        if (token) wipeToken(token)
        tokens.delete(entry)
      }
    },
  }
}
