import { useContext, useEffect } from 'react'
import type { Client } from './Client.js'
import { ClientContext } from './ClientContext.js'
import { onAbort } from '../events/onAbort.js'

/**
 * Calls `onEnd` when the identity ends: after a change of user, a sign-out, `reset()` or USER_CHANGED.
 * Without a `VoiceProvider` there is no identity, and it is never called. `onEnd` must be the same function
 * at each render. Returns the client of the identity.
 */
export function useIdentityEnd(onEnd: () => void): Client | undefined {
  const client = useContext(ClientContext)
  const signal = client?.signal
  // Not a layout effect: React cleans those up before the commit changes the user.
  useEffect(() => {
    if (!signal) return undefined
    // Nobody was signed in. The next user ends this identity too, but without an event.
    if (signal.aborted) return onEnd
    return onAbort(signal, onEnd)
  }, [signal, onEnd])
  return client
}
