/** Throws for a bad option. The message says what is wrong and what to do, and holds no value that could be a secret. */
export function refuse(problem: string, remedy: string): never {
  throw new TypeError(`Failed to create the BFF: ${problem}. ${remedy}.`)
}

/** Refuses unknown keys: a misspelt option would have no effect. */
export function knownKeys(what: string, object: object, known: readonly string[]): void {
  if (typeof object !== 'object' || object === null)
    refuse(`${what} is not an object`, 'See the table of options')
  const unknown = Object.keys(object).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const name = /^\w{1,40}$/.test(unknown) ? ` "${unknown}"` : ''
  refuse(`${what} has an unknown key${name}`, `Use only: ${known.join(', ')}`)
}
