import { useContext, useEffect } from 'react'
import type { Client } from './Client.js'
import { ClientContext } from './ClientContext.js'
import { onAbort } from '../events/onAbort.js'

/**
 * Calls `onEnd` when the identity ends: after a change of user, a sign-out, `reset()`, USER_CHANGED, or if
 * the `VoiceProvider` gets another client; and at the unmount. `onEnd` must be the same function at each
 * render, and may be called twice. Returns the client of the identity, if there is a `VoiceProvider`.
 */
export function useIdentityEnd(onEnd: () => void): Client | undefined {
  const client = useContext(ClientContext)
  const signal = client?.signal
  // Not a layout effect: React cleans those up before the commit changes the user.
  useEffect(() => {
    const unsubscribe = signal && onAbort(signal, onEnd)
    return () => {
      unsubscribe?.()
      onEnd()
    }
  }, [signal, onEnd])
  return client
}
