import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import { LoginNotice } from './LoginNotice.js'
import { SignInChoice } from './SignInChoice.js'
import type { UseLogin } from './useLogin.js'
import { DEMO_USER_IDS, DEMO_USERS } from './users.js'

const TITLES = {
  found: 'Nobody is signed in',
  here: 'You are signed out',
  elsewhere: 'You are signed out',
} as const

const TEXTS = {
  found: 'Choose a user. Until then this page sends no request, opens no stream and has no token.',
  here: 'This page has closed your streams and forgotten your tokens and meetings. It sends no request until someone signs in.',
  elsewhere:
    'It happened in another tab, or the server ended your session. This page has closed your streams and forgotten your tokens and meetings.',
} as const

/** What the page shows instead of streams and meetings while it shows nobody's. */
export function SignInCard({ login }: { readonly login: UseLogin }): ReactNode {
  const { state, busy, problem, signIn, goOn } = login
  switch (state.status) {
    case 'in':
      return null
    case 'unknown':
    case 'doubtful':
      // The server responds in a moment, or there is a problem to tell.
      return problem && <Card title="Nobody is signed in yet" problem={problem} />
    case 'out':
      return (
        <Card title={TITLES[state.how]} problem={problem}>
          <p>{TEXTS[state.how]}</p>
          <ul aria-label="Users">
            {DEMO_USER_IDS.map((user) => (
              <li key={user}>
                <SignInChoice user={user} disabled={busy} onChoose={() => signIn(user)} />
              </li>
            ))}
          </ul>
        </Card>
      )
    case 'changed': {
      const [now, before] = [DEMO_USERS[state.user].name, DEMO_USERS[state.before].name]
      return (
        <Card key={now} title={`${now} is signed in now`} problem={problem}>
          <p>
            It happened in another tab of this browser, and tabs share a login. This page has closed {before}
            ’s streams and forgotten {before}’s tokens and meetings.
          </p>
          <ul aria-label="Users">
            <li>
              <SignInChoice user={state.user} action={`Go on as ${now}`} disabled={busy} onChoose={goOn} />
            </li>
            <li>
              <SignInChoice user={state.before} disabled={busy} onChoose={() => signIn(state.before)} />
            </li>
          </ul>
        </Card>
      )
    }
    default:
      return state satisfies never
  }
}

interface CardProps {
  readonly title: string
  readonly problem: UseLogin['problem']
  readonly children?: ReactNode
}

function Card({ title, problem, children }: CardProps): ReactNode {
  const headingRef = useRef<HTMLHeadingElement>(null)
  // Read out, and the choice is what Tab comes to next.
  useEffect(() => headingRef.current?.focus(), [])
  return (
    <section className="card sign-in" aria-labelledby="sign-in-title">
      <h1 id="sign-in-title" ref={headingRef} tabIndex={-1}>
        {title}
      </h1>
      <LoginNotice problem={problem} />
      {children}
      {children && <small>The demo asks for no password. Your own login does.</small>}
    </section>
  )
}
