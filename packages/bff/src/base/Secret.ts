import { hasScheme } from '@stagepass/contract'
import { z } from 'zod'
import { valueKind } from './valueKind.js'

/** A long-lived key: the value, or a function that returns it or a promise of it. */
export type Secret = string | (() => string | Promise<string>)

/**
 * Returns the problem of a value as the end of a sentence, or `undefined`. Without this check Node would
 * throw an error later that contains the value, or the service would refuse the key without a reason.
 */
export function secretProblem(value: unknown): string | undefined {
  if (value === undefined) return 'it is missing'
  if (typeof value !== 'string') return `it is ${valueKind(value)}, not a string`
  if (value === '') return 'it is empty'
  return copyProblem(value) ?? (HEADER_TEXT.test(value) ? undefined : NO_HEADER_TEXT)
}

const HEADER_TEXT = /^[\x20-\x7e]+$/
const NO_HEADER_TEXT = 'it contains a control character or a character outside ASCII'

/** The problem of a secret that was copied with something around it. */
export function copyProblem(value: string): string | undefined {
  if (value !== value.trim())
    return /^\s*[\r\n]|[\r\n]\s*$/.test(value)
      ? 'it begins or ends with a line break, as the text of a file does: remove it, such as with trim()'
      : 'it begins or ends with white space: remove it, such as with trim()'
  if (/^(["']).*\1$/s.test(value))
    return 'it is in quotation marks, which docker --env-file keeps: write it without them'
  if (/^["']|["']$/.test(value)) return 'it begins or ends with a quotation mark: write it without'
  if (hasScheme(value))
    return 'it begins with the scheme of a header ("Bearer", "api-key"): write only what follows, because the BFF adds the scheme'
  return undefined
}

/** A secret in an option or a grant. The result of a function is checked when it is used. */
export const secret = (remedy: string) =>
  z.custom<Secret>().superRefine((value, context) => {
    const problem = typeof value === 'function' ? undefined : secretProblem(value)
    if (problem !== undefined) context.addIssue(`cannot be used: ${problem}. ${remedy}`)
  })
