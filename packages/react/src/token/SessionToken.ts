/**
 * A session token that only code can read. It is in no enumerable property, no JSON, no `structuredClone` and no developer tool: only
 * `value` gives it, and only while the token lives. (S31.)
 */
export class SessionToken {
  #value: string
  readonly #isDead: () => boolean

  /** @internal `isDead` tells when the token's time is over. */
  constructor(value: string, isDead: () => boolean = () => false) {
    this.#value = value
    this.#isDead = isDead
  }

  /**
   * The secret itself; empty once the token has expired or its user has left, whoever still holds this object. Pass it to what needs it at
   * once; do not keep it in state.
   */
  get value(): string {
    if (this.#isDead()) this.wipe()
    return this.#value
  }

  /** @internal Takes the secret off the heap, where old closures and React's spare tree may hold this object for long. */
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
