/**
 * A session token that only code can read. It is in no enumerable property, no JSON, no `structuredClone` and no developer tool: only
 * `value` gives it. (S31.)
 */
export class SessionToken {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The secret itself. Pass it to what needs it at once; do not keep it in state. */
  get value(): string {
    return this.#value
  }

  toString(): string {
    return '[session token]'
  }

  toJSON(): string {
    return '[session token]'
  }
}
