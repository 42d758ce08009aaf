import { useVoiceClient } from '@stagepass/react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Meetings } from './Meetings.js'
import { SpeechToText } from './products/SpeechToText.js'
import { TextToSpeech } from './products/TextToSpeech.js'
import { VoiceIsolation } from './products/VoiceIsolation.js'
import { VoiceTranslation } from './products/VoiceTranslation.js'
import { SignIn } from './SignIn.js'
import { TopBar } from './TopBar.js'
import type { Login } from './useLogin.js'
import { USERS, type UserId } from './users.js'
import type { WireLog } from './wire/createWireLog.js'
import { type Gauges, useDemoFeed } from './wire/useDemoFeed.js'
import { WireDrawer } from './wire/WireDrawer.js'

export function Page({ login, log }: { readonly login: Login; readonly log: WireLog }): ReactNode {
  const voice = useVoiceClient()
  const { user, check, isFirstVisit, shownTo } = login
  const gauges = useDemoFeed(log, user)
  const [wireOpen, setWireOpen] = useState(false)

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
        login={login}
        upstream={gauges?.upstream}
        wireOpen={wireOpen}
        onWire={() => setWireOpen(!wireOpen)}
      />
      <main id="main" tabIndex={-1}>
        {/* A new user gets new components: they contain sound, a microphone and typed text. */}
        {user === null ? (
          <SignIn login={login} />
        ) : (
          <Workplace key={user} user={user} gauges={gauges} isFirstVisit={isFirstVisit} />
        )}
      </main>
      {/* Screen readers announce each change. */}
      <p className="unseen" role="status">
        {user !== null && `Signed in as ${USERS[user].name}.`}
      </p>
      {wireOpen && user !== null && <WireDrawer gauges={gauges} log={log} onClose={closeWire} />}
    </div>
  )
}

interface WorkplaceProps {
  readonly user: UserId
  readonly gauges: Gauges | undefined
  readonly isFirstVisit: boolean
}

/** The products and the meetings that the user may use. */
function Workplace({ user, gauges, isFirstVisit }: WorkplaceProps): ReactNode {
  const { name, may, products } = USERS[user]
  const isEmulator = gauges?.upstream === 'emulator'
  return (
    <>
      <header className="intro">
        <h1>Realtime voice, and no key on the page</h1>
        <p>
          Each stream opens on a session token that this page fetched from its own server, holds in memory and
          renews ahead of time. The API key never leaves the server.
        </p>
        {products.length === 1 && (
          <p>
            {name} may use: {may}. Change to Ada, in the bar above, to try everything.
          </p>
        )}
      </header>
      <div className="products">
        <div>
          {products.includes('stt') && <SpeechToText isFirstLook={isFirstVisit && isEmulator} />}
          {products.includes('tts') && <TextToSpeech />}
        </div>
        <div>
          {products.includes('vt') && <VoiceTranslation />}
          {products.includes('viva') && <VoiceIsolation />}
        </div>
      </div>
      <Meetings user={user} />
    </>
  )
}
