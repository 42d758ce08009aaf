import type { Product } from '@stagepass/contract'
import { useVoiceClient } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useEffect, useRef, useState } from 'react'
import { useDemoState } from '../state/useDemoState.js'
import { LoginNotice } from '../users/LoginNotice.js'
import { SignInCard } from '../users/SignInCard.js'
import type { UseLogin } from '../users/useLogin.js'
import type { DemoUser } from '../users/users.js'
import { DEMO_USERS } from '../users/users.js'
import type { WireLog } from '../wire/createWireLog.js'
import { useDemoFeed } from '../wire/useDemoFeed.js'
import { WireDrawer } from '../wire/WireDrawer.js'
import { TopBar } from './TopBar.js'
import { useTheme } from './useTheme.js'
import { Workplace } from './Workplace.js'

interface PageProps {
  readonly user: DemoUser | null
  readonly login: UseLogin
  readonly log: WireLog
}

export function Page({ user, login, log }: PageProps): ReactNode {
  const voice = useVoiceClient()
  const { status } = login.state
  const { check } = login
  const [theme, toggleTheme] = useTheme()
  const [wireOpen, setWireOpen] = useState(false)
  const [wanted, setWanted] = useState<ReadonlySet<Product>>(new Set())
  const demo = useDemoState(user)
  const gauges = useDemoFeed(log, user)

  // After a sign-out no stream is wanted. The next user starts with none.
  if (user === null && wanted.size > 0) setWanted(new Set())

  useEffect(
    () =>
      voice.subscribe((event) => {
        if ('code' in event && event.code === 'UNAUTHENTICATED') check()
      }),
    [voice, check],
  )

  const statusBefore = useRef(status)
  useEffect(() => {
    // The button that had the focus went with the card.
    if (status === 'in' && statusBefore.current !== 'unknown') {
      document.getElementById('main')?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    statusBefore.current = status
  }, [status])

  function closeWire(): void {
    setWireOpen(false)
    document.getElementById('wire-button')?.focus()
  }

  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <TopBar
        user={user}
        login={login}
        demo={demo}
        theme={theme}
        onTheme={toggleTheme}
        wireOpen={wireOpen}
        onWire={() => setWireOpen(!wireOpen)}
      />
      <main className="page" id="main" tabIndex={-1}>
        {user !== null && <LoginNotice problem={login.problem} />}
        {user === null ? (
          <SignInCard login={login} />
        ) : (
          <Workplace
            user={user}
            demo={demo}
            wanted={wanted}
            onWanted={(product, connected) =>
              setWanted((before) => {
                const after = new Set(before)
                if (connected) after.add(product)
                else after.delete(product)
                return after
              })
            }
          />
        )}
      </main>
      {/* Read out when it changes. */}
      <p className="unseen" role="status">
        {user !== null && `Signed in as ${DEMO_USERS[user].name}.`}
      </p>
      {wireOpen && user !== null && <WireDrawer demo={demo} log={log} gauges={gauges} onClose={closeWire} />}
    </div>
  )
}
