/** The value in a sentence. Texts and objects are not shown, because they may be secret. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return 'an object'
  return ['string', 'function', 'symbol'].includes(typeof value) ? `a ${typeof value}` : String(value)
}

/** Throws unless the value is an object with these keys alone: a misspelt key would have no effect. */
export function checkKeys(failed: string, value: unknown, keys: readonly string[]): void {
  if (typeof value !== 'object' || value === null)
    throw new TypeError(`${failed}: the argument is ${shown(value)}. Give an object with "${keys[0]}".`)
  const unknown = Object.keys(value).find((key) => !keys.includes(key))
  if (unknown !== undefined)
    throw new TypeError(`${failed}: there is no option "${unknown}". The options are ${keys.join(', ')}.`)
}

/** True if the value is an object with all of these methods. */
export const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof Reflect.get(value, name) === 'function')

/** Returns the value. Throws unless it is a whole number from `min` to `max`. */
export function whole(failed: string, name: string, value: number, min: number, max: number): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw new RangeError(`${failed}: ${name} is ${shown(value)}. Give a whole number from ${min} to ${max}.`)
}
