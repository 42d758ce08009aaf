import type { Redactor } from '../report/createRedactor.js'

const MAX_DEPTH = 4
const MAX_KEYS = 12

/**
 * The form of an answer: names of keys and kinds of values, such as `{ data: { items: [{ id: number }] } }`.
 * No value is in it.
 */
export function formatShape(value: unknown, redactor: Redactor, depth = 0): string {
  if (value === undefined) return 'no JSON'
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value === 'string' ? 'text' : typeof value
  const entries = Object.entries(value)
  const shapeOf = (inner: unknown): string =>
    depth === MAX_DEPTH ? '…' : formatShape(inner, redactor, depth + 1)
  if (Array.isArray(value)) return entries.length === 0 ? '[]' : `[${shapeOf(value[0])}]`
  if (entries.length === 0) return '{}'
  const shown = entries.slice(0, MAX_KEYS).map(([key, inner]) => `${redactor.show(key)}: ${shapeOf(inner)}`)
  return `{ ${shown.join(', ')}${entries.length > MAX_KEYS ? ', …' : ''} }`
}
