import { BFF_ERRORS, type BffErrorCode, hintText, type Seen } from '@stagepass/contract'

/** The line of a code, without its request. `option`: the option with the address that was asked. */
export function lineOf(level: 'warn' | 'error', code: BffErrorCode, option?: string, seen?: Seen): string {
  const { title, hint } = BFF_ERRORS[code]
  if (seen) return `${level}: [stagepass] ${code}: ${hintText(hint, { ...seen, option })} (request …)`
  const where = option ? ` The request went to the address of "${option}".` : ''
  return `${level}: [stagepass] ${code}: ${title.split(/(?<=\.) /)[0]}${where} ${hintText(hint)} (request …)`
}
