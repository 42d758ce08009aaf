import { z } from 'zod'

/** A long-lived key: the value, or a function that returns it or a promise of it. */
export type Secret = string | (() => string | Promise<string>)

/**
 * Returns the problem of a value as the end of a sentence, or `undefined`. Without this check Node would
 * throw an error later that contains the value.
 */
export function secretProblem(value: unknown): string | undefined {
  if (value === undefined) return 'it is missing'
  if (typeof value !== 'string')
    return `it is of type ${value === null ? 'null' : typeof value}, not a string`
  if (value === '') return 'it is empty'
  if (value !== value.trim()) return 'it begins or ends with white space'
  if (/^(["']).*\1$/.test(value))
    return 'it is in quotation marks, which docker --env-file keeps: write it without them'
  if (!/^[\x20-\x7e]+$/.test(value)) return 'it contains a control character or a character outside ASCII'
  return undefined
}

/** A secret in an option or a grant. The result of a function is checked when it is used. */
export const secret = (remedy: string) =>
  z.custom<Secret>().superRefine((value, context) => {
    const problem = typeof value === 'function' ? undefined : secretProblem(value)
    if (problem !== undefined) context.addIssue(`cannot be used: ${problem}. ${remedy}`)
  })
