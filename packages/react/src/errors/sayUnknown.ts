import { mostSimilar } from '@stagepass/contract'
import { sayOnce } from './sayOnce.js'

/**
 * Logs each key of `given` that is not one of `known`, once for each client: without types a misspelt option
 * would have no effect, and no error. Call it only in development builds, so that production builds do not
 * contain the names.
 *
 * @example sayUnknown(client.said, 'useTags does not know the option', options, { enabled: true })
 */
export function sayUnknown<TGiven extends object>(
  said: Set<string>,
  what: string,
  given: TGiven | undefined,
  known: Readonly<Record<keyof TGiven, unknown>>,
): void {
  for (const [key, value] of Object.entries(given ?? {})) {
    if (value === undefined || Object.hasOwn(known, key)) continue
    const names = Object.keys(known)
    const similar = mostSimilar(key, names)
    const remedy = similar === undefined ? `Use only: ${names.join(', ')}.` : `Did you mean "${similar}"?`
    sayOnce(said, `${what} "${key}". ${remedy}`)
  }
}
