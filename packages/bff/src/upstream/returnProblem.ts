import { type SeenOf, SIZES } from '@stagepass/contract'

const count = new Intl.NumberFormat('en-US')

/**
 * What is wrong with a value of the service that cannot come back unchanged, or `undefined`. `path` is its
 * place on the wire.
 */
export function returnProblem(
  path: string,
  size: keyof typeof SIZES,
  value: string,
): SeenOf<'UPSTREAM_MALFORMED'> | undefined {
  const problem = (what: string, expected: string) =>
    ({
      cause: 'field',
      path,
      value: what,
      expected: `${expected}, because it comes back in a request`,
    }) as const
  const max = SIZES[size]
  if (value.length > max)
    return problem(`a text of ${count.format(value.length)} characters`, `at most ${count.format(max)} long`)
  // An address or a header with it would contain another character.
  if (/\p{Surrogate}/u.test(value)) return problem('a text with half a surrogate pair', 'without')
  if (size === 'sessionKey' && !/^[\x21-\x7e]*$/.test(value))
    return problem('a text with a character that no header can contain', 'without')
  return undefined
}
