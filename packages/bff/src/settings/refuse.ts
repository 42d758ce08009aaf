/** Throws for a bad option. The message says what is wrong and what to do, and holds no value that could be a secret. */
export function refuse(problem: string, remedy: string): never {
  throw new TypeError(`Failed to create the BFF: ${problem}. ${remedy}.`)
}

/** Refuses unknown keys: a misspelt option would have no effect. */
export function knownKeys(what: string, object: object, known: object): void {
  if (typeof object !== 'object' || object === null)
    refuse(`${what} is not an object`, 'See the table of options')
  const unknown = Object.keys(object).find((key) => !Object.hasOwn(known, key))
  if (unknown !== undefined && /^\w{1,40}$/.test(unknown))
    refuse(`${what} has an unknown key "${unknown}"`, `Use only: ${Object.keys(known).join(', ')}`)
  if (unknown !== undefined)
    refuse(`${what} has an unknown key`, `Use only: ${Object.keys(known).join(', ')}`)
}
