import type { ReactNode } from 'react'
import { Icon } from '../ui/Icon.js'
import { useDemoState } from './useDemoState.js'
import type { DemoUser } from './users.js'
import { DEMO_USERS, isDemoUser } from './users.js'
import type { Theme } from './useTheme.js'
import { THEMES } from './useTheme.js'

interface TopBarProps {
  readonly user: DemoUser
  readonly onUser: (user: DemoUser) => void
  readonly theme: Theme
  readonly onTheme: (theme: Theme) => void
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
      <label className="who push">
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
      <select
        className="input theme only-wide"
        aria-label="Light or dark"
        value={theme}
        onChange={({ target }) => onTheme(THEMES.find((theme) => theme === target.value) ?? 'system')}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
      <button className="button" aria-expanded={wireOpen} aria-controls="wire" onClick={onWire}>
        <Icon name="wire" />
        Wire
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
