import type { LoginState } from './LoginState.js'
import { afterReading } from './LoginState.js'
import * as session from './loginSession.js'
import type { DemoUser } from './users.js'

export interface LoginSnapshot {
  readonly state: LoginState
  /** The server has not responded yet. */
  readonly busy: boolean
  /** The server could not be asked: what to tell the person, and how to try again. */
  readonly problem: { readonly text: string; readonly retry: () => void } | undefined
}

/** Who is signed in, and the ways to change that. Knows no React. */
export interface Login {
  readonly snapshot: () => LoginSnapshot
  readonly subscribe: (listener: () => void) => () => void
  /** Asks who is signed in, and listens to other tabs. Returns its undo. */
  readonly start: () => () => void
  readonly signIn: (user: DemoUser) => void
  readonly signOut: () => void
  /** Asks again: the page has a reason to believe that something has changed. */
  readonly check: () => void
  /** For USER_CHANGED: shows nothing of the user, and asks again. */
  readonly doubt: () => void
  /** The person goes on as the user who signed in elsewhere. */
  readonly goOn: () => void
}

interface Question {
  /** It signs in or out, so its answer says who is signed in. */
  readonly changes: boolean
  readonly ask: () => Promise<DemoUser | null>
  readonly onAnswer: (user: DemoUser | null) => void
  readonly trouble: string
}

const NEWS = 'stagepass-demo-login'
const VISITED = 'stagepass-demo-visited'

export function createLogin(): Login {
  const listeners = new Set<() => void>()
  let shown: LoginSnapshot = { state: { status: 'unknown' }, busy: false, problem: undefined }
  /** The last question. The answer to any other is no longer of use. */
  let current: Question | undefined
  let news: BroadcastChannel | undefined

  function show(change: Partial<LoginSnapshot>): void {
    shown = { ...shown, ...change }
    for (const listener of listeners) listener()
  }

  async function send(question: Question): Promise<void> {
    current = question
    show({ busy: true, problem: undefined })
    try {
      const user = await question.ask()
      if (current === question) question.onAnswer(user)
    } catch {
      if (current === question) {
        show({ problem: { text: question.trouble, retry: () => void send(question) } })
      }
    } finally {
      if (current === question) show({ busy: false })
    }
  }

  const isChanging = (): boolean => shown.busy && current?.changes === true

  function signIn(user: DemoUser): void {
    void send({
      changes: true,
      ask: () => session.signIn(user),
      onAnswer() {
        localStorage.setItem(VISITED, 'yes')
        show({ state: { status: 'in', user } })
        tellTabs()
      },
      trouble: 'The server did not respond, so nobody was signed in. Is it running?',
    })
  }

  function check(): void {
    if (isChanging()) return
    void send({
      changes: false,
      ask: session.readUser,
      onAnswer(user) {
        const isFirst = shown.state.status === 'unknown' && localStorage.getItem(VISITED) === null
        // A newcomer has a minute, and no account: the first visit signs in by itself.
        if (user === null && isFirst) signIn('ada')
        else show({ state: afterReading(shown.state, user) })
      },
      trouble: 'The server did not respond. Is it running?',
    })
  }

  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  const tellTabs = (): void => news?.postMessage('changed')

  function onShow({ persisted }: PageTransitionEvent): void {
    // A page from the back-forward cache shows what was true when it was left.
    if (persisted) check()
  }

  return {
    snapshot: () => shown,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    start() {
      // Other tabs have the same cookie: they must not go on as a user who has left.
      news = new BroadcastChannel(NEWS)
      news.addEventListener('message', check)
      addEventListener('pageshow', onShow)
      check()
      return () => {
        current = undefined
        news?.close()
        removeEventListener('pageshow', onShow)
      }
    },
    signIn,
    signOut() {
      // At once: to let go of what the page holds needs no server.
      show({ state: { status: 'out', how: 'here' } })
      void send({
        changes: true,
        ask: session.signOut,
        onAnswer: tellTabs,
        trouble: 'The server did not respond: this browser may still be signed in. Is it running?',
      })
    },
    check,
    doubt() {
      if (shown.state.status !== 'in' || isChanging()) return
      show({ state: { status: 'doubtful', before: shown.state.user } })
      check()
    },
    goOn() {
      if (shown.state.status === 'changed') show({ state: { status: 'in', user: shown.state.user } })
    },
  }
}
