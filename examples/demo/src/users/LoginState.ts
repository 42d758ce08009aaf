import type { DemoUser } from './users.js'

/**
 * Who is signed in, as this page shows it. Only `in` shows anything of a user.
 *
 *   unknown ── no session ───► out ◄──── signs out, here or elsewhere ──── in
 *      │                        │                                        ▲ │ │
 *      │                        └───────── signs in, here or elsewhere ──┤ │ │
 *      └──── somebody ───────────────────────────────────────────────────┤ │ │
 *                                                                        │ │ │ USER_CHANGED
 *   changed ──── goes on, or signs in as another ────────────────────────┤ │ ▼
 *      ▲ ▲                                            the same user ─────┴─┼ doubtful
 *      │ └──── somebody else is signed in elsewhere ───────────────────────┘ │
 *      └──────────────────────────────────────────────── somebody else ──────┘
 */
export type LoginState =
  | { readonly status: 'unknown' }
  | { readonly status: 'in'; readonly user: DemoUser }
  /** `found`: when the page was loaded. `elsewhere`: in another tab, or the server ended the session. */
  | { readonly status: 'out'; readonly how: 'found' | 'here' | 'elsewhere' }
  /** The server says that its session is not of this user. */
  | { readonly status: 'doubtful'; readonly before: DemoUser }
  /** The person is asked, because they may not know. */
  | { readonly status: 'changed'; readonly before: DemoUser; readonly user: DemoUser }

/** The state after the server has said who is signed in. */
export function afterReading(state: LoginState, user: DemoUser | null): LoginState {
  if (user === null) {
    if (state.status === 'out') return state
    return { status: 'out', how: state.status === 'unknown' ? 'found' : 'elsewhere' }
  }
  switch (state.status) {
    case 'unknown':
    case 'out':
      return { status: 'in', user }
    case 'in':
      return state.user === user ? state : { status: 'changed', before: state.user, user }
    case 'doubtful':
    case 'changed':
      return state.before === user
        ? { status: 'in', user }
        : { status: 'changed', before: state.before, user }
    default:
      return state satisfies never
  }
}
