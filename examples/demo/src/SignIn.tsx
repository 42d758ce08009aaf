import { type ReactNode, useEffect, useRef } from 'react'
import type { Login } from './useLogin.js'
import { USER_IDS, type UserId, USERS } from './users.js'

/** Shown in place of products and meetings while the page has no user. */
export function SignIn({ login }: { readonly login: Login }): ReactNode {
  const { signedIn, shownTo, problem, signIn, goOn, check } = login
  if (problem) {
    return (
      <Card
        key="problem"
        title={problem.refusal ? 'The server refused the sign-in' : 'The server did not respond'}
      >
        <p role="alert">
          {problem.refusal ?? 'Is it running? Until it responds, this page sends nothing else.'}
        </p>
        <button className="button" onClick={check}>
          Try again
        </button>
      </Card>
    )
  }
  // The answer of the server comes soon.
  if (signedIn === undefined) return null
  if (signedIn === null) {
    return (
      <Card key="out" title={shownTo ? 'You are signed out' : 'Nobody is signed in'}>
        <p>
          {shownTo && <span>This page has closed your streams and forgotten your tokens and meetings. </span>}
          Choose a user. Until then this page sends no request, opens no stream and has no token.
        </p>
        {USER_IDS.map((user) => (
          <UserChoice key={user} user={user} onChoose={() => signIn(user)} />
        ))}
      </Card>
    )
  }
  const now = USERS[signedIn].name
  const before = shownTo ? USERS[shownTo].name : 'the user before'
  return (
    <Card key={now} title={`${now} is signed in now`}>
      <p>
        It happened in another tab of this browser, and tabs share a login. This page has closed the streams
        of {before} and forgotten the tokens and meetings.
      </p>
      <UserChoice user={signedIn} action={`Go on as ${now}`} onChoose={goOn} />
      {shownTo && <UserChoice user={shownTo} onChoose={() => signIn(shownTo)} />}
    </Card>
  )
}

function Card({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  const headingRef = useRef<HTMLHeadingElement>(null)
  // Screen readers announce the heading, and Tab moves to the first choice.
  useEffect(() => headingRef.current?.focus(), [])
  return (
    <section className="card sign-in" aria-labelledby="sign-in-title">
      <h1 id="sign-in-title" ref={headingRef} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </section>
  )
}

interface UserChoiceProps {
  readonly user: UserId
  /** Default: sign in. */
  readonly action?: string
  readonly onChoose: () => void
}

/** A button that signs in as a user of the demo. */
export function UserChoice({ user, action, onChoose }: UserChoiceProps): ReactNode {
  const { name, may } = USERS[user]
  return (
    <button className="button user-choice" onClick={onChoose}>
      <strong>{action ?? `Sign in as ${name}`}</strong>
      <small>{may}</small>
    </button>
  )
}
