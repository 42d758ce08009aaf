import { BFF_ERRORS, type BffErrorCode, hintText, type Seen } from '@stagepass/contract'

/**
 * The line of a code, without its request. `asked`: the option with the address, and the system's name of the
 * failure.
 */
export function lineOf(
  level: 'warn' | 'error',
  code: BffErrorCode,
  asked?: readonly [option: string, failure?: string],
  seen?: Seen,
): string {
  const { title, hint } = BFF_ERRORS[code]
  const [option, failure] = asked ?? []
  if (seen) return `${level}: [stagepass] ${code}: ${hintText(hint, { ...seen, option })} (request …)`
  const where = option
    ? ` The request went to the address of "${option}"${failure ? ` (${failure})` : ''}.`
    : ''
  return `${level}: [stagepass] ${code}: ${title.split(/(?<=\.) /)[0]}${where} ${hintText(hint)} (request …)`
}
