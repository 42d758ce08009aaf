import { useCallback, useEffect, useRef, useState } from 'react'
import { isUser, type UserId } from './users.js'

/** Who is signed in in this browser, and for which user this page is. */
export interface Login {
  /** The user of the page. `null`: it shows no data of anyone. */
  readonly user: UserId | null
  /** The server's last answer. `null`: no user is signed in. `undefined`: the server has not answered yet. */
  readonly signedIn: UserId | null | undefined
  /**
   * The last user of the page. If another user signs in in another tab, the page asks before it continues.
   * `undefined`: the page had no user yet.
   */
  readonly shownTo: UserId | null | undefined
  /** The last request to the server failed. `refusal`: what the server said, if it responded. */
  readonly problem: { readonly refusal?: string } | undefined
  /** The page has signed in automatically, because this browser opens it for the first time. */
  readonly isFirstVisit: boolean
  readonly signIn: (user: UserId) => void
  readonly signOut: () => void
  /** Continues as the user who signed in in another tab. */
  readonly goOn: () => void
  /** Asks the server again. Until it responds the page has no user. */
  readonly check: () => void
}

const VISITED = 'stagepass-demo-visited'

async function readUser(): Promise<UserId | null> {
  const response = await fetch('/api/me', { cache: 'no-store' })
  if (!response.ok) throw new Error(`GET /api/me: ${response.status}`)
  const { user } = (await response.json()) as { readonly user: unknown }
  return isUser(user) ? user : null
}

/** The server responded, and said no. */
class Refusal extends Error {}

async function post(path: string, fields: Record<string, string> = {}): Promise<void> {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(fields) })
  if (response.status === 403) throw new Refusal(await response.text())
  if (!response.ok) throw new Error(`POST ${path}: ${response.status}`)
}

export function useLogin(): Login {
  const [signedIn, setSignedIn] = useState<UserId | null>()
  const [shownTo, setShownTo] = useState<UserId | null>()
  const [problem, setProblem] = useState<Login['problem']>()
  const [isFirstVisit, setIsFirstVisit] = useState(false)
  const [tabs] = useState(() => new BroadcastChannel('stagepass-demo-login'))
  /** The requests run one after the other. Only the answer to the last one counts. */
  const queue = useRef({ last: Promise.resolve(), length: 0 })

  /** Runs `change`, then asks the server who is signed in. */
  const ask = useCallback((change?: () => Promise<void>): Promise<void> => {
    const mine = (queue.current.length += 1)
    const isLast = (): boolean => mine === queue.current.length
    queue.current.last = queue.current.last.then(async () => {
      try {
        await change?.()
        const user = await readUser()
        if (!isLast()) return
        setProblem(undefined)
        setSignedIn(user)
        setShownTo((before) => (before === undefined ? user : before))
      } catch (error) {
        if (isLast()) setProblem(error instanceof Refusal ? { refusal: error.message } : {})
      }
    })
    return queue.current.last
  }, [])

  /** Signs in or out, and tells the other tabs: they have the same cookie. */
  function change(path: string, fields?: Record<string, string>): void {
    setIsFirstVisit(false)
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
    void ask(() => post(path, fields)).then(() => tabs.postMessage('changed'))
  }

  useEffect(() => {
    const look = (): void => void ask()
    tabs.addEventListener('message', look)
    // A page from the back-forward cache may show a user who has left.
    const show = ({ persisted }: PageTransitionEvent): void => (persisted ? look() : undefined)
    addEventListener('pageshow', show)
    void ask(async () => {
      if (localStorage.getItem(VISITED) !== null || (await readUser()) !== null) return
      // A new visitor has no account, and little time.
      await post('/api/login', { user: 'ada' })
      localStorage.setItem(VISITED, 'yes')
      setIsFirstVisit(true)
    })
    return () => {
      tabs.removeEventListener('message', look)
      removeEventListener('pageshow', show)
    }
  }, [ask, tabs])

  return {
    user: signedIn !== undefined && signedIn === shownTo ? signedIn : null,
    signedIn,
    shownTo,
    problem,
    isFirstVisit,
    signIn(user) {
      setSignedIn(undefined)
      setShownTo(user)
      change('/api/login', { user })
    },
    signOut() {
      // Before the answer: the page closes its streams without the server.
      setSignedIn(null)
      change('/api/logout')
    },
    goOn: () => setShownTo(signedIn),
    check: useCallback(() => {
      setSignedIn(undefined)
      void ask()
    }, [ask]),
  }
}
