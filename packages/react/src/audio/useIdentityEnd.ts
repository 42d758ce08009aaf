import { useContext, useEffect } from 'react'
import { ClientContext } from '../client/ClientContext.js'

/**
 * Calls back when the identity ends: another user, nobody, `reset()` or USER_CHANGED. Without a
 * `VoiceProvider` there is no identity, and it never does. `onEnd` must be the same function at each render.
 */
export function useIdentityEnd(onEnd: () => void): void {
  const signal = useContext(ClientContext)?.signal
  // Not a layout effect: those are undone before the commit changes the user.
  useEffect(() => {
    if (!signal) return undefined
    // Nobody was signed in: the next user ends that too, and no event says so.
    if (signal.aborted) return onEnd
    signal.addEventListener('abort', onEnd)
    return () => signal.removeEventListener('abort', onEnd)
  }, [signal, onEnd])
}
