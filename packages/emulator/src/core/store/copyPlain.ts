/** Deeper than any note; a walk through a row must not run out of stack. */
const MAX_DEPTH = 100

/** What cannot be copied, and where it is. */
export class NotPlain extends Error {
  override readonly name = 'NotPlain'
  readonly path: readonly PropertyKey[]

  constructor(path: readonly PropertyKey[], problem: string) {
    super(problem)
    this.path = path
  }
}

/**
 * A copy with nothing in common with the original: lists and own fields, without those that are `undefined`. Throws `NotPlain` if a list or an
 * object holds itself or if they are nested too deep: such a row would end in an endless walk.
 */
export function copyPlain(
  value: unknown,
  path: readonly PropertyKey[] = [],
  above: readonly object[] = [],
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) throw new NotPlain(path, 'holds itself')
  if (above.length >= MAX_DEPTH) throw new NotPlain(path, `is nested deeper than ${MAX_DEPTH} levels`)
  const inside = [...above, value]
  if (Array.isArray(value)) return Array.from(value, (item, at) => copyPlain(item, [...path, at], inside))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name, copyPlain(item, [...path, name], inside)]),
  )
}
