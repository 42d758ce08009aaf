import { SIZES } from '@stagepass/contract'

const count = new Intl.NumberFormat('en-US')

/**
 * Describes why a value of the service cannot come back unchanged, as a sentence without the value. `name` is
 * the name of the value on the wire.
 */
export function returnProblem(name: string, size: keyof typeof SIZES, value: string): string | undefined {
  const max = SIZES[size]
  if (value.length > max)
    return `${name} has ${count.format(value.length)} characters; at most ${count.format(max)} can come back.`
  // An address or a header with it would contain another character.
  if (/\p{Surrogate}/u.test(value)) return `${name} has half a surrogate pair, which cannot come back.`
  if (size === 'sessionKey' && !/^[\x21-\x7e]*$/.test(value))
    return `${name} has a character that a header cannot contain, so it cannot come back.`
  return undefined
}
