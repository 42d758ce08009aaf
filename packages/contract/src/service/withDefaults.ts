import { unknownKey } from '../mostSimilar.js'
import { isObject } from './isObject.js'

/**
 * Returns an object of options with its defaults. A value of `undefined` means the default. Calls `refuse`
 * with the end of a sentence if `given` is not an object, or has a key that `defaults` does not have: a
 * misspelt key would have no effect.
 */
export function withDefaults<TDefaults extends object>(
  defaults: TDefaults,
  given: unknown,
  refuse: (problem: string) => never,
): TDefaults {
  const known = Object.keys(defaults)
  if (!isObject(given))
    return refuse(`is not an object. Use an object with some of these keys: ${known.join(', ')}.`)
  const entries = Object.entries(given).filter(([, value]) => value !== undefined)
  const unknown = entries.map(([key]) => key).find((key) => !known.includes(key))
  if (unknown !== undefined) refuse(unknownKey(unknown, known))
  return { ...defaults, ...Object.fromEntries(entries) }
}
