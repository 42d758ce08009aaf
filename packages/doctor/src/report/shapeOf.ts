const MAX_DEPTH = 4
const MAX_KEYS = 12

/**
 * Describes the form of a response: names of keys and kinds of values, such as `{ data: { items: [{ id:
 * number }] } }`. It contains no values.
 */
export function shapeOf(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null)
    return value === null ? 'null' : typeof value === 'string' ? 'text' : typeof value
  if (depth > MAX_DEPTH) return '…'
  const shapes = Object.entries(value).map(([name, inner]) => [name, shapeOf(inner, depth + 1)] as const)
  if (Array.isArray(value)) return `[${shapes[0]?.[1] ?? ''}]`
  // A name that is not a word may be a value.
  const shown = shapes.map(([name, shape]) => `${/^[\w$.-]{1,64}$/.test(name) ? name : '?'}: ${shape}`)
  if (shown.length > MAX_KEYS) shown.splice(MAX_KEYS, Infinity, '…')
  return shown.length === 0 ? '{}' : `{ ${shown.join(', ')} }`
}
