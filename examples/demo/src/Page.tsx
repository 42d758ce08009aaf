import { useVoiceClient } from '@stagepass/react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { SignIn } from './SignIn.js'
import { TopBar } from './TopBar.js'
import type { Login } from './useLogin.js'
import { USERS } from './users.js'
import type { WireLog } from './wire/createWireLog.js'
import { useDemoFeed } from './wire/useDemoFeed.js'
import { type Drawer, WireDrawer } from './wire/WireDrawer.js'
import { Workplace } from './Workplace.js'

export function Page({ login, log }: { readonly login: Login; readonly log: WireLog }): ReactNode {
  const voice = useVoiceClient()
  const { user, check, isFirstVisit, shownTo } = login
  const gauges = useDemoFeed(log, user)
  const [drawer, setDrawer] = useState<Drawer>()
  const [isPhone, setPhone] = useState(false)
  /** What has opened the drawer. It gets the focus back. */
  const opener = useRef<Element>(null)

  useEffect(
    () =>
      voice.subscribe((event) => {
        if ('code' in event && event.code === 'UNAUTHENTICATED') check()
      }),
    [voice, check],
  )

  const wasSignedOut = useRef(false)
  useEffect(() => {
    // The button with the focus was removed with its card.
    if (user !== null && wasSignedOut.current) {
      document.getElementById('main')?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    wasSignedOut.current = user === null && shownTo !== undefined
  }, [user, shownTo])

  function open(next: Drawer): void {
    if (!document.activeElement?.closest('.drawer')) opener.current = document.activeElement
    setDrawer(next)
    // It may be open already.
    document.getElementById('wire-title')?.focus()
  }
  function close(): void {
    setDrawer(undefined)
    if (opener.current instanceof HTMLElement) opener.current.focus()
  }

  return (
    <div className="shell" data-phone={isPhone || undefined}>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <TopBar
        login={login}
        upstream={gauges?.upstream}
        isDrawerOpen={drawer !== undefined}
        onDrawer={() => (drawer ? close() : open({ part: 'Log', line: 'all' }))}
      />
      <main id="main" tabIndex={-1}>
        {/* A new user gets new components: they contain sound, a microphone and typed text. */}
        {user === null ? (
          <SignIn login={login} />
        ) : (
          // Before the server's events arrive, no request: the picture would not show it.
          gauges && (
            <Workplace
              key={user}
              user={user}
              gauges={gauges}
              log={log}
              isFirstVisit={isFirstVisit}
              signIn={login.signIn}
              isPhone={isPhone}
              setPhone={setPhone}
              openFaults={() => {
                // The picture shows what a fault does.
                scrollTo(0, 0)
                open({ part: 'Faults', line: 'all' })
              }}
              onLine={(line) => open({ part: 'Log', line })}
            />
          )
        )}
      </main>
      {/* Screen readers announce each change. */}
      <p className="unseen" role="status">
        {user !== null && `Signed in as ${USERS[user].name}.`}
      </p>
      {drawer && user !== null && (
        <WireDrawer drawer={drawer} gauges={gauges} log={log} onChange={setDrawer} onClose={close} />
      )}
    </div>
  )
}
