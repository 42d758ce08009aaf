import { type ReactNode, useEffect, useState } from 'react'
import { UserChoice } from './SignIn.js'
import type { Login } from './useLogin.js'
import { USER_IDS, type UserId, USERS } from './users.js'
import type { Gauges } from './wire/useDemoFeed.js'

interface TopBarProps {
  readonly login: Login
  readonly upstream: Gauges['upstream'] | undefined
  readonly isDrawerOpen: boolean
  readonly onDrawer: () => void
}

export function TopBar({ login, upstream, isDrawerOpen, onDrawer }: TopBarProps): ReactNode {
  const { user } = login
  return (
    <header className="topbar">
      <span className="wordmark">
        <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20">
          <path d="M2.5 7.500v5M7 4v12M11.500 6.500v7M16 2.500v15" />
        </svg>
        Stagepass
      </span>
      {upstream && <span className="badge">{upstream === 'emulator' ? 'Emulator' : 'Live service'}</span>}
      <span className="end" />
      {user !== null && <UserMenu user={user} login={login} />}
      <ThemeButton />
      {user !== null && (
        <button
          className="button"
          id="wire-button"
          aria-expanded={isDrawerOpen}
          aria-controls="wire"
          onClick={onDrawer}
        >
          Behind the page
        </button>
      )}
    </header>
  )
}

/**
 * Shows who is signed in, changes the user and signs out. The browser itself opens and closes a popover, also
 * on Escape, and moves the focus.
 */
function UserMenu({ user, login }: { readonly user: UserId; readonly login: Login }): ReactNode {
  const { name, may } = USERS[user]
  return (
    <>
      <button className="button" popoverTarget="user-menu">
        <span className="unseen">Signed in as </span>
        {name}
      </button>
      <div className="card popover" id="user-menu" popover="auto">
        <p>
          <strong>{name}</strong> <small>{may}</small>
        </p>
        {USER_IDS.filter((other) => other !== user).map((other) => (
          <UserChoice
            key={other}
            user={other}
            action={`Change to ${USERS[other].name}`}
            onChoose={() => login.signIn(other)}
          />
        ))}
        <button className="button" onClick={login.signOut}>
          Sign out
        </button>
        <small>Tabs of one browser share a login. For two users at once, open a private window.</small>
      </div>
    </>
  )
}

const STORED = 'stagepass-demo-theme'

/** The system's theme, until the user chooses one. The choice is kept. */
function ThemeButton(): ReactNode {
  const [chosen, setChosen] = useState(() => localStorage.getItem(STORED))
  useEffect(() => {
    if (chosen === null) return
    document.documentElement.dataset.theme = chosen
    localStorage.setItem(STORED, chosen)
  }, [chosen])
  const isDark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark'
  const other = isDark ? 'light' : 'dark'
  return (
    <button
      className="button theme"
      aria-label={`Change to the ${other} theme`}
      onClick={() => setChosen(other)}
    >
      <svg aria-hidden="true" width="20" height="20" viewBox="0 0 20 20">
        <circle cx="10" cy="10" r="7" />
        <path d="M10 3a7 7 0 0 1 0 14z" />
      </svg>
    </button>
  )
}
