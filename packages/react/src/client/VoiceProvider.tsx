'use client'

import { QueryClientContext, useIsRestoring } from '@tanstack/react-query'
import {
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Client, User } from '../identity/Client.js'
import { onAbort } from '../events/onAbort.js'
import { queryKey } from '../query/queryKey.js'
import { watchRestored } from '../query/restoredQueries.js'
import { sayOnce } from '../errors/sayOnce.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import { perClient } from '../identity/perClient.js'
import { ClientContext } from '../identity/ClientContext.js'
import { clientOf, type VoiceClient } from './createVoiceClient.js'

/** `useLayoutEffect`. React 18 warns about layout effects on a server. */
const useCommitEffect = typeof window === 'undefined' ? useEffect : useLayoutEffect

/** Props of `VoiceProvider`. */
export interface VoiceProviderProps {
  /** Made once by `createVoiceClient`, outside of components. */
  readonly client: VoiceClient
  /**
   * The signed-in user's id, equal to `user` in the BFF's grant. `null`: nobody is signed in. A change takes
   * effect in the same commit. If it is left out, the client serves one user until `voice.setUser()` or
   * `voice.reset()`. If it was set before, `undefined` counts as `null`.
   */
  readonly user?: string | null | undefined
  /**
   * Called once if the BFF finds that its session belongs to another user (USER_CHANGED). By then the streams
   * have ended. Ask your server again who is signed in, and set that `user`. If the page keeps the answer, on
   * disk too, remove it first. If the BFF finds the same at the next request, this is not called again for ten
   * seconds, also after a reload. A development build then says so in the console.
   */
  readonly onUserChanged?: (() => void) | undefined
  readonly children?: ReactNode
}

/** Provides the voice client to the hooks below it. Place it inside `QueryClientProvider`. */
export function VoiceProvider(props: VoiceProviderProps): ReactNode {
  const { client, user, onUserChanged, children } = props
  const { users } = clientOf(client)
  const current = useSyncExternalStore(users.subscribe, users.current, users.current)
  const [isGiven, setGiven] = useState(false)
  if (user !== undefined && !isGiven) setGiven(true)
  const named = user ?? (isGiven ? null : undefined)
  // React may discard this render, so the render does not change the user.
  const shown = named === undefined ? current : users.clientOf(named)

  useEffect(
    () =>
      client.subscribe(({ type }) => {
        if (type !== 'client.user_changed' || !onUserChanged) return
        if (!clientOf(client).reloadGuard.isRepeated()) return onUserChanged()
        if (process.env.NODE_ENV === 'production') return
        // eslint-disable-next-line no-console -- a mistake that only a developer can fix
        console.error(
          "Failed to change the user: after onUserChanged the page still names the user from before. So it is not called again for ten seconds. Remove the kept session, as by queryClient.resetQueries({ queryKey: ['me'] }), and give the `user` of the grant.",
        )
      }),
    [client, onUserChanged],
  )

  return (
    <ClientContext.Provider value={shown}>
      {process.env.NODE_ENV !== 'production' && <SetUpCheck {...props} />}
      <Commit client={shown} user={named} />
      {children}
    </ClientContext.Provider>
  )
}

/**
 * The first child, because its layout effects run before those of the other children. Their requests are then
 * made for the new user.
 */
function Commit({ client, user }: { readonly client: Client; readonly user: User }): null {
  const { users, signal } = client
  const queryClient = useContext(QueryClientContext)
  const isRestoring = useIsRestoring()

  useCommitEffect(() => (user === undefined ? undefined : users.claim(user)), [users, user])

  useEffect(
    () => (queryClient && !isRestoring ? watchRestored(queryClient, client) : undefined),
    [queryClient, client, isRestoring],
  )

  // Not a layout effect: React cleans those up before the commit changes the user.
  useEffect(() => {
    function forgetQueries(): void {
      const cache = queryClient?.getQueryCache()
      for (const query of cache?.findAll({ queryKey: queryKey(client, {}) }) ?? []) {
        // The reset also empties observers that did not render in this commit.
        query.reset()
        // Its last observer leaves it later, which would start a timer of five minutes for a query that is gone.
        query.setOptions({ ...query.options, gcTime: Infinity })
        cache?.remove(query)
      }
    }
    return onAbort(signal, forgetQueries)
  }, [queryClient, client, signal])

  return null
}

/** In development: logs each set-up mistake once. */
function SetUpCheck(props: VoiceProviderProps): null {
  useOneClient(props.client)
  const client = clientOf(props.client)
  sayUnknown(client.said, 'VoiceProvider does not know the prop', props, {
    client: true,
    user: true,
    onUserChanged: true,
    children: true,
  })
  useEffect(() => providersOf(client).join(), [client])
  return null
}

/** The providers of one user's client. */
const providersOf = /* @__PURE__ */ perClient(({ said }) => {
  let mounted = 0
  return {
    /** Counts a mounted provider. Returns a function for its unmount. */
    join(): () => void {
      mounted += 1
      // Wait for the end of the commit: it may replace one provider with another.
      queueMicrotask(() => {
        if (mounted < 2) return
        sayOnce(
          said,
          'Failed to keep one VoiceProvider: two of them give the same voice client. Keep the one at the root of the application.',
        )
      })
      return () => {
        mounted -= 1
      }
    },
  }
})

/** Detects a client that is made in a render. A new client for another reason is correct. */
function useOneClient(client: VoiceClient): void {
  const seen = useRef({ client, isNamed: false })
  // Read in the render, because the effect may run in a later task.
  const createdInThisTask = clientOf(client).createdInThisTask?.() === true
  useEffect(() => {
    if (seen.current.client === client) return
    const isMistake = createdInThisTask && !seen.current.isNamed
    seen.current = { client, isNamed: seen.current.isNamed || isMistake }
    if (!isMistake) return
    // eslint-disable-next-line no-console -- a mistake that only a developer can fix
    console.error(
      "Failed to keep the voice client: it is made in a render, so each render drops its tokens and streams. Call createVoiceClient({ url: '/api/voice' }) once, outside of components.",
    )
  }, [client, createdInThisTask])
}
