import { z } from 'zod'

/** A long-lived key: the value, or a function that returns it, also as a promise. */
export type Secret = string | (() => string | Promise<string>)

/**
 * What is wrong with a value, as the end of a sentence, or `undefined`. Without this check Node would throw
 * later, with the value.
 */
export function secretProblem(value: unknown): string | undefined {
  if (value === undefined) return 'it is missing'
  if (typeof value !== 'string')
    return `it is of type ${value === null ? 'null' : typeof value}, not a string`
  if (value === '') return 'it is empty'
  if (value !== value.trim()) return 'it begins or ends with white space'
  if (!/^[\x20-\x7e]+$/.test(value)) return 'it holds a control character or one outside ASCII'
  return undefined
}

/** A secret of an option or a grant. What a function returns is checked when it is used. */
export const secret = (remedy: string) =>
  z.custom<Secret>().superRefine((value, context) => {
    const problem = typeof value === 'function' ? undefined : secretProblem(value)
    if (problem !== undefined) context.addIssue(`cannot be used: ${problem}. ${remedy}`)
  })
