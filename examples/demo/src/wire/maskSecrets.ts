const SECRET_NAMES = new Set(['session_key', 'authorization'])
const MASK = '••••••••'

/** A copy for display in which no value that opens anything is left. */
export function maskSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, SECRET_NAMES.has(name) ? MASK : maskSecrets(inner)]),
  )
}
