import { decodeUtf8 } from '../platform/bytes.js'
import type { Body, Query } from './http.js'

export function splitTarget(target: string): { path: string; search: string } {
  const mark = target.indexOf('?')
  return mark === -1
    ? { path: target, search: '' }
    : { path: target.slice(0, mark), search: target.slice(mark + 1) }
}

export function parseSearch(search: string): Query {
  if (search === '') return {}
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    const before = values.get(name)
    values.set(name, before === undefined ? value : [before, value].flat())
  }
  // fromEntries defines own properties, so `__proto__` is an ordinary name.
  return Object.fromEntries(values)
}

export function parseBody(bytes: Uint8Array): Body {
  if (bytes.length === 0) return { type: 'none' }
  const text = decodeUtf8(bytes)
  try {
    return { type: 'json', value: JSON.parse(text) as unknown }
  } catch {
    return { type: 'text', text }
  }
}

/**
 * Returns the credential of an `Authorization` value with this scheme, in upper or lower case. `undefined` if
 * the value has another form.
 */
export function parseAuthorization(value: string, scheme: 'api-key' | 'bearer'): string | undefined {
  const space = value.indexOf(' ')
  if (space === -1 || value.slice(0, space).toLowerCase() !== scheme) return undefined
  const credential = value.slice(space).trim()
  return credential === '' || /\s/.test(credential) ? undefined : credential
}
