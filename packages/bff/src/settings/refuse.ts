import { mostSimilar } from '@stagepass/contract'

/** A name of an account: it is a part of keys in Redis. */
export const ACCOUNT_NAME = /^[\w.:-]{1,64}$/

/**
 * Throws for a bad option. The message says what is wrong and what to do, and holds no value that could be a
 * secret.
 */
export function refuse(problem: string, remedy: string): never {
  throw new TypeError(`Failed to create the BFF: ${problem}. ${remedy.replace(/[^?]$/, '$&.')}`)
}

/**
 * Refuses unknown keys: a misspelt option would have no effect. `what` is the option that holds the keys;
 * `undefined` for the options themselves.
 */
export function knownKeys(what: string | undefined, object: object, known: readonly string[]): void {
  if (typeof object !== 'object' || object === null)
    refuse(what === undefined ? 'the options are not an object' : `${what} is not an object`, REMEDY)
  const unknown = Object.keys(object).find((key) => !known.includes(key))
  if (unknown === undefined) return
  const name = /^\w{1,40}$/.test(unknown) ? ` "${unknown}"` : ''
  const isOption = what === undefined && name !== ''
  const problem = isOption
    ? `there is no option${name}`
    : `${what ?? 'an object of options'} has an unknown key${name}`
  refuse(problem, remedyFor(name === '' ? '' : unknown, known))
}

/** What to write in place of an unknown key; empty: one that cannot be shown. */
export function remedyFor(unknown: string, known: readonly string[]): string {
  const similar = unknown === '' ? undefined : mostSimilar(unknown, known)
  return similar === undefined ? `Use only: ${known.join(', ')}` : `Did you mean "${similar}"?`
}

const REMEDY = 'See the table of options'
