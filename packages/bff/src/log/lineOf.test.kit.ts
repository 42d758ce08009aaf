import { BFF_ERRORS, type BffErrorCode } from '@stagepass/contract'

/**
 * The line of a code, without its request. `asked`: the option with the address, and the system's name of the
 * failure.
 */
export function lineOf(
  level: 'warn' | 'error',
  code: BffErrorCode,
  asked?: readonly [option: string, failure?: string],
): string {
  const { title, hint } = BFF_ERRORS[code]
  const [option, failure] = asked ?? []
  const where = option
    ? ` The request went to the address of "${option}"${failure ? ` (${failure})` : ''}.`
    : ''
  return `${level}: [stagepass] ${code}: ${title.split(/(?<=\.) /)[0]}${where} ${hint} (request …)`
}
