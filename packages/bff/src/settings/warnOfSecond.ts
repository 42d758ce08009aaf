import { isDevelopment } from '../base/isDevelopment.js'
import type { Settings } from './readOptions.js'

const SOON_MS = 60_000

/** The newest BFF. Module-level, because only a variable outside of all BFFs can show that there are two. */
let newest: { readonly apiKey: Settings['apiKey']; at: number; isWarned: boolean } | undefined

/**
 * In development, warns once if a BFF is created within a minute of another one with the same key. It is then
 * probably created for each request. Returns a function to call when this BFF is closed.
 */
export function warnOfSecond({ apiKey, logger, platform }: Settings): () => void {
  const at = platform.clock.now()
  if (!newest || newest.apiKey !== apiKey || at - newest.at >= SOON_MS)
    newest = { apiKey, at, isWarned: false }
  else {
    if (!newest.isWarned && isDevelopment()) {
      const which = apiKey === undefined ? 'without an "apiKey"' : 'with the same "apiKey"'
      logger?.warn(
        `[stagepass] createBff: A second BFF ${which} was created within a minute. Create it once, outside of the request handler: each BFF has its own limits, budget and connections.`,
      )
    }
    newest.at = at
    newest.isWarned = true
  }
  const own = newest
  return () => {
    if (newest === own) newest = undefined
  }
}
