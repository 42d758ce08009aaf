/**
 * What a wrong value is, for the end of a sentence. Never the value itself, which may be a secret, except for
 * words of the language.
 */
export function valueKind(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean' || Number.isNaN(value))
    return String(value)
  if (typeof value === 'string')
    return value === '' ? 'empty' : `a text of ${value.length} character${value.length === 1 ? '' : 's'}`
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** The kind and the size of a value. Never the value: it may be a token in the wrong place. */
export function gotText(value: unknown): string {
  return ` It is ${value === undefined ? 'missing' : valueKind(value)}.`
}
