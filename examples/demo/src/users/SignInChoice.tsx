import type { ReactNode } from 'react'
import type { DemoUser } from './users.js'
import { DEMO_USERS } from './users.js'

interface SignInChoiceProps {
  readonly user: DemoUser
  /** Default: sign in. */
  readonly action?: string | undefined
  readonly disabled: boolean
  readonly onChoose: () => void
}

/** A user of the demo, to sign in as. */
export function SignInChoice({ user, action, disabled, onChoose }: SignInChoiceProps): ReactNode {
  const { name, may } = DEMO_USERS[user]
  return (
    <button className="user-choice" disabled={disabled} onClick={onChoose}>
      <Avatar user={user} />
      <span>
        <strong>{action ?? `Sign in as ${name}`}</strong>
        <small>{may}</small>
      </span>
    </button>
  )
}

/** The name stands beside it. */
export function Avatar({ user }: { readonly user: DemoUser }): ReactNode {
  return (
    <span className="avatar" aria-hidden="true">
      {DEMO_USERS[user].name.slice(0, 1)}
    </span>
  )
}
