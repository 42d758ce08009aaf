import { createListeners } from '../events/createListeners.js'
import { VoiceError } from '../errors/VoiceError.js'
import type { Client, Identity, User, Users } from './Client.js'
import { mistake } from '../errors/mistake.js'

/*
 * One client for each identity. Query keys, token sources and streams belong to the client of their identity,
 * so they cannot reach the next identity: late results belong to a client that has ended.
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
 *   requests           are aborted; late responses are discarded
 *   token sources      wipe their tokens, reject their waiters, request nothing
 *   streams            drop their queues, close all sockets, accept no further input
 *   queries            disappear from the query cache
 *   events             are no longer emitted
 *
 * Why `next` exists before its commit, and why options throw in its render:
 *
 * A change takes effect in the commit that renders the new user, so the components of that render need the
 * client of the next user before React has committed it. They cannot make it with `useMemo`: React discards a
 * render that suspends, together with its memos. Each attempt would then make another client with other query
 * keys, and a component that suspends on a list would fetch forever. So the next client is kept here, until a
 * commit makes it current or another user replaces it. It sends nothing before a component asks for it.
 *
 * A component that uses the module's voice client in that render would get options of the previous user.
 * React does not say which render a call belongs to, and a server renders for several users at once. So the
 * call throws, and names `useVoiceClient()`, which knows the user of its render.
 */

interface UsersOptions {
  readonly open: (identity: Identity, users: Users) => Client
  readonly isServer: boolean | undefined
  readonly onChange: () => void
}

/*
 * The client of a render of another user:
 *
 *                a render of another user            the task of that render ends
 *   undefined ──────────────────────────▶ rendering ─────────────────────────────▶ waiting
 *       ▲                                     ▲     ◀── a render of another user ──── │
 *       └── that render commits, setUser(), reset() ──────────────────────────────────┘
 */
interface Next {
  readonly status: 'rendering' | 'waiting'
  /**
   * Undefined on a server: several renders may run at once there, and none commits, so each has a client of
   * its own.
   */
  readonly client: Client | undefined
}

export function createUsers({ open, isServer, onChange }: UsersOptions): Users {
  const { subscribe, notify } = createListeners()
  const claims = new Set<{ readonly user: string | null }>()
  /** Generations below this one are not used again. */
  let lowestGeneration = 0
  let next: Next | undefined

  /** The client of a user who is not the current one. Ends the client of a third user. */
  function nextOf(user: User): Client {
    const waiting = next?.client
    if (waiting && waiting.user === user) return waiting
    if (typeof (user ?? '') !== 'string') throw mistake('userType', typeof user)
    if (user === '') throw mistake('emptyUser')
    // A page starts with the generation of its server render, so that hydration finds the lists.
    const isFirst = typeof current.user !== 'string' && current.user !== user
    const generation = Math.max(lowestGeneration, current.identity.generation + (isFirst ? 0 : 1))
    if (waiting) {
      lowestGeneration = waiting.identity.generation + 1
      waiting.end(replaced())
    }
    return open({ user, generation }, users)
  }

  function change(user: User, isReset: boolean): void {
    const before = current
    if (user === before.user && !isReset) return
    current = nextOf(user)
    next = undefined
    before.end(replaced())
    onChange()
    notify()
  }

  function clientOf(user: User): Client {
    if (user === current.user) return current
    const client = nextOf(user)
    next = { status: 'rendering', client: isServer ? undefined : client }
    // A render may stop in the middle. Code that runs afterwards is outside of components.
    queueMicrotask(() => {
      next &&= { ...next, status: 'waiting' }
    })
    return client
  }

  function refuseSecond(user: string | null): void {
    for (const claim of claims) {
      if (claim.user !== user) throw mistake('secondUser')
    }
  }

  const users: Users = {
    current: () => current,
    currentOutside() {
      if (next?.status !== 'rendering') return current
      throw mistake('optionsOfAnother')
    },
    subscribe,
    clientOf,
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
      // After USER_CHANGED the application may find that the user is still the same.
      change(user, user !== null && current.signal.aborted)
    },
    reset: () => change(current.user, true),
  }
  let current = open({ user: undefined, generation: 0 }, users)
  return users
}

function replaced(): VoiceError {
  return new VoiceError('ABORTED', { retryable: false })
}

/** The error that components show after their identity has ended: only if the BFF ended it. */
export function errorOfEnd({ aborted, reason }: AbortSignal): VoiceError | null {
  const error = reason as VoiceError | undefined
  return aborted && error?.code === 'USER_CHANGED' ? error : null
}
