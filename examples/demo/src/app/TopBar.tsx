import type { ReactNode } from 'react'
import { Icon } from '../ui/Icon.js'
import { useDemoState } from '../state/useDemoState.js'
import type { DemoUser } from '../state/users.js'
import { DEMO_USERS, isDemoUser } from '../state/users.js'
import type { Theme } from './useTheme.js'

interface TopBarProps {
  readonly user: DemoUser
  readonly onUser: (user: DemoUser) => void
  readonly theme: Theme
  readonly onTheme: () => void
  readonly wireOpen: boolean
  readonly onWire: () => void
}

export function TopBar({ user, onUser, theme, onTheme, wireOpen, onWire }: TopBarProps): ReactNode {
  const demo = useDemoState()
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
      <label className="who end">
        <span className="only-wide">Demo sign-in</span>
        <select
          className="input"
          aria-label="Demo sign-in"
          value={user}
          onChange={({ target }) => isDemoUser(target.value) && onUser(target.value)}
        >
          {Object.entries(DEMO_USERS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <button
        className="button quiet square"
        aria-label="Dark theme"
        aria-pressed={theme === 'dark'}
        onClick={onTheme}
      >
        <Icon name={theme === 'dark' ? 'moon' : 'sun'} />
      </button>
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
