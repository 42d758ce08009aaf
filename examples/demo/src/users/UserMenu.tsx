import type { ReactNode } from 'react'
import { useRef } from 'react'
import { Avatar, SignInChoice } from './SignInChoice.js'
import type { UseLogin } from './useLogin.js'
import type { DemoUser } from './users.js'
import { DEMO_USER_IDS, DEMO_USERS } from './users.js'

/**
 * Who is signed in, and the way to another user or out. The browser opens, closes and focuses a popover by
 * itself, Escape included.
 */
export function UserMenu({ user, login }: { readonly user: DemoUser; readonly login: UseLogin }): ReactNode {
  const menuRef = useRef<HTMLDivElement>(null)
  const { name, may } = DEMO_USERS[user]

  function choose(act: () => void): void {
    menuRef.current?.hidePopover()
    act()
  }

  return (
    <div className="user-menu">
      <button className="button" popoverTarget="user-menu">
        <Avatar user={user} />
        <span>
          <span className="unseen">Signed in as </span>
          {name}
        </span>
      </button>
      <div className="card popover" id="user-menu" popover="auto" ref={menuRef}>
        <p>
          <strong>{name}</strong>
          <small>{may}</small>
        </p>
        {DEMO_USER_IDS.filter((other) => other !== user).map((other) => (
          <SignInChoice
            key={other}
            user={other}
            action={`Change to ${DEMO_USERS[other].name}`}
            disabled={login.busy}
            onChoose={() => choose(() => login.signIn(other))}
          />
        ))}
        <button className="button" onClick={() => choose(login.signOut)}>
          Sign out
        </button>
        <small>Tabs of one browser share a login. For two users at once, open a private window.</small>
      </div>
    </div>
  )
}
