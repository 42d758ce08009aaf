import { toEntries } from './mergeHeaders.js'

/**
 * Why a browser cannot send these headers, or `undefined`. Names a header and not its value, because that may
 * be a secret.
 */
export function headerProblem(given: unknown): string | undefined {
  if (given === null || given === undefined) return undefined
  if (typeof given !== 'object') return `they are a ${typeof given}`
  // jsdom under Jest has no `Headers`.
  if (typeof Headers === 'undefined') return undefined
  const headers = new Headers()
  for (const [name, value] of toEntries(given)) {
    if (value === null || value === undefined) continue
    try {
      headers.set(name, value)
    } catch {
      return `"${name}" or its value has a character that no header may have`
    }
  }
  return undefined
}
