import { createListeners } from '../platform/createListeners.js'
import { VoiceError } from '../VoiceError.js'
import type { Client, Identity, User } from './Client.js'

/*
 * One client for each identity. Query keys, token sources and streams belong to the client of their identity, so they cannot reach the next
 * one: what comes late finds its own client ended.
 *
 *                  a render of another user
 *   (none) ─────────────────────────────────────▶ next ──── a render of a third user, reset() ────▶ ended
 *      │                                           │
 *      │ reset(), setUser()                        │ that render commits, setUser()
 *      └────────────────────▶ current ◀────────────┘
 *                                │
 *                                └── another one is current; the BFF responds USER_CHANGED ──▶ ended
 *
 * At the end of an identity:
 *   requests           are aborted; what they still deliver is discarded
 *   token sources      wipe their tokens, reject their waiters, request nothing
 *   streams            drop their queues, close all sockets, take no further input
 *   tab share          closes its channel
 *   queries            disappear from the query cache
 *   events             none follows
 */

/** A client of one identity. */
export interface Opened<TClient extends Client> {
  readonly client: TClient
  /** Ends the identity. `error`: with what everything fails that is asked of the client afterwards. */
  readonly end: (error: VoiceError) => void
}

/** The users of a voice client, one at a time. */
export interface Users<TClient extends Client> {
  readonly current: () => TClient
  /** Calls back when another client is current. Returns its undo. */
  readonly subscribe: (listener: () => void) => () => void
  /** The client that is current after a change to that user. Changes nothing: a render may be thrown away. */
  clientOf(user: User): TClient
  /** A provider gives the user. Returns its undo. Throws if another provider gives another user. */
  claim(user: string | null): () => void
  setUser(user: string | null): void
  reset(): void
}

export interface UsersOptions<TClient extends Client> {
  readonly open: (identity: Identity) => Opened<TClient>
  /** On a server several renders may run at once: a client that is not current serves one of them. */
  readonly isServer: boolean
  readonly onChange: () => void
}

export function createUsers<TClient extends Client>(options: UsersOptions<TClient>): Users<TClient> {
  const { subscribe, notify } = createListeners()
  const claims = new Set<{ readonly user: string | null }>()
  let current = options.open({ user: undefined, generation: 0 })
  /** Made by a render that has not committed. */
  let next: Opened<TClient> | undefined
  let lowest = 0

  /** Ends a client that no render will commit. Its generation is not used again. */
  function discard({ client, end }: Opened<TClient>): void {
    lowest = client.root[2].generation + 1
    end(replaced())
  }

  function nextOf(user: User): Opened<TClient> {
    if (next && next.client.user === user) return next
    if (user === '')
      throw new Error('Failed to set the user: the id is empty. Give null if nobody is signed in.')
    const { user: before, generation } = current.client.root[2]
    // A page begins with the generation of its server render, so that hydrated lists are found.
    const isFirst = typeof before !== 'string' && before !== user
    const opened = options.open({ user, generation: Math.max(lowest, generation + (isFirst ? 0 : 1)) })
    if (options.isServer) return opened
    if (next) discard(next)
    return (next = opened)
  }

  function change(user: User, isReset: boolean): void {
    const before = current
    if (user === before.client.user && !isReset) return
    current = nextOf(user)
    if (next && next !== current) discard(next)
    next = undefined
    before.end(replaced())
    options.onChange()
    notify()
  }

  function refuseSecond(user: string | null): void {
    for (const claim of claims) {
      if (claim.user === user) continue
      throw new Error(
        'Failed to set the user: a mounted VoiceProvider gives this client another user. Change the `user` of that provider.',
      )
    }
  }

  return {
    current: () => current.client,
    subscribe,
    clientOf: (user) => (user === current.client.user ? current : nextOf(user)).client,
    claim(user) {
      refuseSecond(user)
      const own = { user }
      claims.add(own)
      change(user, false)
      return () => {
        claims.delete(own)
      }
    },
    setUser(user) {
      refuseSecond(user)
      // After USER_CHANGED the application may find that the user is the same after all.
      change(user, user !== null && current.client.signal.aborted)
    },
    reset: () => change(current.client.user, true),
  }
}

function replaced(): VoiceError {
  return new VoiceError('ABORTED', { retryable: false })
}

/** What components show of an identity that has ended: an error only if the BFF ended it. */
export function errorOfEnd({ aborted, reason }: AbortSignal): VoiceError | null {
  const error = reason as VoiceError | undefined
  return aborted && error?.code === 'USER_CHANGED' ? error : null
}
