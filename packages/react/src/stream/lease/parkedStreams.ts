import { createListeners } from '../../events/createListeners.js'
import { perClient } from '../../identity/perClient.js'

/** Names of the streams that are closed in silence, and keep their session for the next speech. */
export const parkedStreams = perClient(() => {
  const names = new Set<string>()
  const changes = createListeners()
  return {
    has: (name: string): boolean => names.has(name),
    subscribe: changes.subscribe,
    /** Returns a function that ends it. */
    add(name: string): () => void {
      names.add(name)
      return () => {
        names.delete(name)
        changes.notify()
      }
    },
  }
})
