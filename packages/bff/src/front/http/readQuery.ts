import { BffError } from '../../base/BffError.js'
import { nameable } from '../../desk/parseRequest.js'

/** Query values by name. The object has no prototype, so names such as `__proto__` are plain names. */
export type QueryValues = Readonly<Record<string, string>>

const NO_VALUES: QueryValues = Object.freeze(Object.create(null) as Record<string, string>)

/**
 * Reads the query of `url`, independent of the host's setting "query parser". Unknown names, repeated names
 * and invalid percent-escapes are a VALIDATION_ERROR with `field`.
 */
export function readQuery(url: string, known: readonly string[]): QueryValues {
  const start = url.indexOf('?')
  if (start === -1) return NO_VALUES
  const values = Object.create(null) as Record<string, string> // a bare object has no better type
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals === -1 ? pair : pair.slice(0, equals), 'query')
    if (!known.includes(name)) throw refused(nameable(name, 'query'), 'unknown')
    if (name in values) throw refused(name, 'repeated')
    values[name] = equals === -1 ? '' : decode(pair.slice(equals + 1), name)
  }
  return values
}

const refused = (field: string, cause: 'unknown' | 'repeated' | 'escape') =>
  new BffError('VALIDATION_ERROR', { field, seen: { cause, name: field } })

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw refused(field, 'escape')
  }
}
