/**
 * What was seen of a failure: the name of its cause, and the values that stand in the hint of that cause. The
 * values are short, and none of them is a secret.
 */
export interface Seen<TCause extends string = string> {
  readonly cause: TCause
  readonly [value: string]: string | number | undefined
}

/**
 * The hint of a code that has more than one cause: one text for each. It says what was seen, and then what to
 * do about that alone. Without `seen`, or for an unknown cause, it is the text of `otherwise`.
 */
export interface Hint<TCause extends string = string> {
  (seen?: Seen): string
  /** The text of each cause. `{name}` stands for a value. The page of errors lists them. */
  readonly variants: Readonly<Record<TCause | 'otherwise', string>>
}

/** Makes the hint of a code from the text of each cause. A value that was not seen leaves no trace. */
export function hintBy<TCause extends string>(variants: Record<TCause | 'otherwise', string>): Hint<TCause> {
  const textOf = (cause: string): string =>
    Object.hasOwn(variants, cause) ? variants[cause as TCause] : variants.otherwise
  const hint = (seen?: Seen): string =>
    seen === undefined
      ? variants.otherwise
      : textOf(seen.cause).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(seen[name] ?? ''))
  return Object.assign(hint, { variants })
}

/** The text of a hint, whether it has one cause or several. */
export function hintText(hint: string | Hint, seen?: Seen): string {
  return typeof hint === 'string' ? hint : hint(seen)
}
