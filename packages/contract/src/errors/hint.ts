/**
 * What was seen of a failure: the name of its cause, and the values in the hint of that cause. The
 * values are short, and none of them is a secret.
 */
export interface Seen<TCause extends string = string> {
  readonly cause: TCause
  readonly [value: string]: string | number | undefined
}

/**
 * The hint of a code that has more than one cause: a text for each. It says what was seen, and then what to
 * do about that alone. `{name}` stands for a value. `otherwise` is the text if nothing was seen. Only data,
 * so that the bundle of a page in production leaves it out.
 */
export type Hints = Readonly<Record<string, string>> & { readonly otherwise: string }

/**
 * The hint for what was seen, whether the code has one cause or several. A value that was not seen leaves no
 * trace.
 */
export function hintText(hint: string | Hints, seen?: Seen): string {
  if (typeof hint === 'string') return hint
  if (!seen || !Object.hasOwn(hint, seen.cause)) return hint.otherwise
  const text = hint[seen.cause] ?? hint.otherwise
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(seen[name] ?? ''))
}
