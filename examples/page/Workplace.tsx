'use client'

import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { VoicePage } from '@stagepass/registry/voice-page'
import {
  type DehydratedState,
  HydrationBoundary,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query'
import { useState } from 'react'
import './workplace.css'

interface WorkplaceProps {
  /** The id that `authorize` returns as the user of the grant. */
  readonly user: string
  /** The data that the server fetched, if it renders the page. */
  readonly state?: DehydratedState
}

/** The page of a signed-in user. */
export function Workplace({ user, state }: WorkplaceProps) {
  const [queryClient] = useState(() => new QueryClient())
  const [voice] = useState(() => createVoiceClient({ url: '/api/voice' }))
  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice} user={user} onUserChanged={() => location.reload()}>
        <HydrationBoundary state={state}>
          <header className="bar">
            <h1>Captions and meetings</h1>
            <p>Signed in as {user}.</p>
            <form method="post" action="/logout">
              <button>Sign out</button>
            </form>
          </header>
          {/* The grant limits users to their own meetings, so there is no choice of owner. */}
          <VoicePage filters={['search', 'sort', 'from', 'to', 'tags']} onSignIn={() => location.reload()} />
        </HydrationBoundary>
      </VoiceProvider>
    </QueryClientProvider>
  )
}
