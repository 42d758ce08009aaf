import { VoiceProvider } from '@stagepass/react'
import { VoicePanel } from '@stagepass/react/devtools'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useMemo, useState } from 'react'
import { MeetingsExplorer } from '../meetings/MeetingsExplorer.js'
import { DEMO_PRODUCTS } from '../streams/demoProducts.js'
import { StreamPanel } from '../streams/StreamPanel.js'
import { createWireLog } from '../wire/createWireLog.js'
import { useDemoFeed } from '../wire/useDemoFeed.js'
import { WireDrawer } from '../wire/WireDrawer.js'
import { createSession } from './createSession.js'
import { TopBar } from './TopBar.js'
import type { DemoUser } from '../state/users.js'
import { useTheme } from './useTheme.js'

export function App(): ReactNode {
  const [log] = useState(createWireLog)
  const [user, setUser] = useState<DemoUser>('ada')
  const [theme, toggleTheme] = useTheme()
  const [wireOpen, setWireOpen] = useState(false)
  const session = useMemo(() => createSession(user, log), [user, log])
  useEffect(() => () => session.voice.reset(), [session])
  const gauges = useDemoFeed(log)

  function closeWire(): void {
    setWireOpen(false)
    document.getElementById('wire-button')?.focus()
  }

  return (
    <QueryClientProvider client={session.queryClient}>
      <div className="shell">
        <a className="skip-link" href="#main">
          Skip to content
        </a>
        <TopBar
          user={user}
          onUser={setUser}
          theme={theme}
          onTheme={toggleTheme}
          wireOpen={wireOpen}
          onWire={() => setWireOpen(!wireOpen)}
        />
        <VoiceProvider key={user} client={session.voice} user={user}>
          <main className="page" id="main" tabIndex={-1}>
            <div className="intro">
              <h1>Realtime voice, and no key on the page</h1>
              <p>
                Each stream below opens on a session token that this page fetched from its own server, holds
                in memory and renews ahead of time. The API key never leaves the server.
              </p>
            </div>
            <section aria-labelledby="streams-title">
              <header className="section-head">
                <h2 id="streams-title">Streams</h2>
                <p>Four products, a token and a socket each.</p>
              </header>
              <div className="panels">
                {DEMO_PRODUCTS.map((product) => (
                  <StreamPanel key={product.product} {...product} />
                ))}
              </div>
            </section>
            <MeetingsExplorer />
          </main>
          {import.meta.env.DEV && <VoicePanel />}
        </VoiceProvider>
        {wireOpen && <WireDrawer log={log} gauges={gauges} onClose={closeWire} />}
      </div>
    </QueryClientProvider>
  )
}
