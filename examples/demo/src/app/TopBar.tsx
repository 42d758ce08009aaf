import type { ReactNode } from 'react'
import { Icon } from '../ui/Icon.js'
import type { DemoState } from '../state/useDemoState.js'
import type { UseLogin } from '../users/useLogin.js'
import { UserMenu } from '../users/UserMenu.js'
import type { DemoUser } from '../users/users.js'
import type { Theme } from './useTheme.js'

interface TopBarProps {
  readonly user: DemoUser | null
  readonly login: UseLogin
  readonly demo: DemoState | undefined
  readonly theme: Theme
  readonly onTheme: () => void
  readonly wireOpen: boolean
  readonly onWire: () => void
}

export function TopBar({ user, login, demo, theme, onTheme, wireOpen, onWire }: TopBarProps): ReactNode {
  return (
    <header className="topbar">
      <span className="wordmark">
        <Mark />
        Stagepass
      </span>
      {demo && (
        <span className="badge only-wide" title={demo.address}>
          {demo.upstream === 'emulator' ? 'Emulator' : 'Live service'}
        </span>
      )}
      <span className="end" />
      {user !== null && <UserMenu user={user} login={login} />}
      <button
        className="button quiet square"
        aria-label="Dark theme"
        aria-pressed={theme === 'dark'}
        onClick={onTheme}
      >
        <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
      </button>
      {user !== null && (
        <button
          className="button"
          id="wire-button"
          aria-label="Wire"
          aria-expanded={wireOpen}
          aria-controls="wire"
          onClick={onWire}
        >
          <Icon name="wire" />
          <span className="only-wide">Wire</span>
        </button>
      )}
    </header>
  )
}

function Mark(): ReactNode {
  return (
    <svg
      aria-hidden="true"
      width="22"
      height="22"
      viewBox="0 0 22 22"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
    >
      <path d="M3 9v4M8 5v12M14 7v8M19 9.5v3" />
    </svg>
  )
}
