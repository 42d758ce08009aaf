import { createBff } from '@stagepass/bff/fetch'
import { createBrowserEmulator } from '@stagepass/emulator/browser'
import { createVoiceClient } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useEffect, useState } from 'react'
import { MEETINGS } from './tabs/meetings.js'
import type { Tab } from './tabs/Tab.js'
import { idsOf } from './ui/TabList.js'
import { createWireLog } from './wire/createWireLog.js'
import { WireLog } from './wire/WireLog.js'

/** A running tab: the sample, its source, and what goes over the wire. */
export function TabRoom({ tab: { id, intro, file, source, Sample } }: { readonly tab: Tab }): ReactNode {
  const [room] = useState(createRoom)
  const { emulator, log } = room
  const ids = idsOf(id)

  useEffect(() => emulator.onWire(log.add), [emulator, log])

  return (
    <div className="panel" role="tabpanel" id={ids.panel} aria-labelledby={ids.tab}>
      <p className="intro">{intro}</p>
      <div className="halves">
        <div className="sample">
          <QueryClientProvider client={room.queryClient}>
            <Sample emulator={emulator} voice={room.voice} signIn={room.signIn} />
          </QueryClientProvider>
        </div>
        {/* It scrolls, so the keyboard must reach it. */}
        <section className="source" aria-label={`Source of ${file}`}>
          <p className="file">{file}</p>
          <pre tabIndex={0} role="region" aria-label={file}>
            <code>{source}</code>
          </pre>
        </section>
      </div>
      <WireLog log={log} />
    </div>
  )
}

function createRoom() {
  const emulator = createBrowserEmulator({
    latency: { ms: 80, jitterMs: 60 },
    meetings: MEETINGS,
    credentials: ['ada', 'ben'].map((user) => ({ credential: `credential-of-${user}`, holder: user })),
  })
  // In place of a login session.
  let signedIn: string | null = 'ada'
  const bff = createBff({
    ...emulator.bffOptions,
    authorize: () => signedIn && { user: signedIn, meetings: { credential: `credential-of-${signedIn}` } },
    // Its operator is who looks at the page, which shows each error itself.
    logger: false,
  })
  return {
    emulator,
    signIn: (user: string | null): void => {
      signedIn = user
    },
    voice: createVoiceClient(emulator.clientOptions(bff)),
    queryClient: new QueryClient(),
    log: createWireLog(),
  }
}
