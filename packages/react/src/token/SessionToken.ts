/**
 * A session token that only code can read. It is in no enumerable property, no JSON, no `structuredClone` and no developer tool: only
 * `value` gives it, and only while the token lives. (S31.)
 */
export class SessionToken {
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
    if (this.#isDead()) this.wipe()
    return this.#value
  }

  /**
   * @internal Empties the secret, because old closures and React's previous tree may keep this object for
   * long.
   */
  wipe(): void {
    this.#value = ''
  }

  toString(): string {
    return '[session token]'
  }

  toJSON(): string {
    return '[session token]'
  }
}
