import { createListeners } from '../platform/createListeners.js'
import { VoiceError } from '../VoiceError.js'
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
  readonly open: (identity: Identity) => Client
  /**
   * On a server several renders may run at once. A client that is not current then serves only one render.
   */
  readonly isServer: boolean | undefined
  readonly onChange: () => void
}

export function createUsers(options: UsersOptions): Users {
  const { subscribe, notify } = createListeners()
  const claims = new Set<{ readonly user: string | null }>()
  let current = options.open({ user: undefined, generation: 0 })
  /** The client of a render that has not committed. */
  let next: Client | undefined
  /** True while React renders for another user than the current one, in this task. */
  let isRenderingNext = false
  let isNew = true
  let lowest = 0

  queueMicrotask(() => {
    isNew = false
  })

  /** Ends a client that no render will commit. Its generation is not used again. */
  function discardNext(): void {
    if (next) lowest = next.identity.generation + 1
    next?.end(replaced())
    next = undefined
  }

  function nextOf(user: User): Client {
    if (next && next.user === user) return next
    if (typeof (user ?? '') !== 'string') throw mistake('userType', typeof user)
    if (user === '') throw mistake('emptyUser')
    // A page starts with the generation of its server render, so that hydration finds the lists.
    const isFirst = typeof current.user !== 'string' && current.user !== user
    const generation = Math.max(lowest, current.identity.generation + (isFirst ? 0 : 1))
    const opened = options.open({ user, generation })
    if (options.isServer) return opened
    discardNext()
    return (next = opened)
  }

  function change(user: User, isReset: boolean): void {
    const before = current
    if (user === before.user && !isReset) return
    isRenderingNext = false
    current = nextOf(user)
    if (next === current) next = undefined
    discardNext()
    before.end(replaced())
    options.onChange()
    notify()
  }

  function clientOf(user: User): Client {
    if (user === current.user) return current
    isRenderingNext = true
    // A render may stop in the middle. Code that runs afterwards is outside of components.
    queueMicrotask(() => {
      isRenderingNext = false
    })
    return nextOf(user)
  }

  function refuseSecond(user: string | null): void {
    for (const claim of claims) {
      if (claim.user !== user) throw mistake('secondUser')
    }
  }

  return {
    current: () => current,
    currentOutside() {
      if (!isRenderingNext) return current
      throw mistake('optionsOfAnother')
    },
    subscribe,
    isNew: () => isNew,
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
}

function replaced(): VoiceError {
  return new VoiceError('ABORTED', { retryable: false })
}

/** The error that components show after their identity has ended: only if the BFF ended it. */
export function errorOfEnd({ aborted, reason }: AbortSignal): VoiceError | null {
  const error = reason as VoiceError | undefined
  return aborted && error?.code === 'USER_CHANGED' ? error : null
}
