'use client'

import { createVoiceClient, useMeetings, useStream, VoiceProvider } from '@stagepass/react'
import {
  HydrationBoundary,
  QueryClient,
  QueryClientProvider,
  type DehydratedState,
} from '@tanstack/react-query'
import { useState } from 'react'
import { filters } from './filters'

interface WorkplaceProps {
  /** The id that `authorize` returns as the user of the grant. */
  readonly user: string
  /** What the server has prefetched. */
  readonly state: DehydratedState
}

/** What a signed-in user has. */
export function Workplace({ user, state }: WorkplaceProps) {
  const [queryClient] = useState(() => new QueryClient())
  const [voice] = useState(() => createVoiceClient({ url: '/api/voice' }))
  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice} user={user} onUserChanged={() => location.reload()}>
        <HydrationBoundary state={state}>
          <p>Signed in as {user}.</p>
          <form method="post" action="/logout">
            <button>Sign out</button>
          </form>
          <Speech />
          <Meetings />
        </HydrationBoundary>
      </VoiceProvider>
    </QueryClientProvider>
  )
}

/** An open stream costs minutes, so it is open from a press to the last message. */
function Speech() {
  const [received, setReceived] = useState(0)
  const { status, failureReason, open, send, finish } = useStream('tts', {
    enabled: false,
    // A development server may first have to compile the route.
    queue: { maxAgeMs: 60_000 },
    onMessage: () => setReceived((count) => count + 1),
  })
  const speak = (): void => {
    open()
    send(JSON.stringify({ text: 'Good morning' }))
    void finish()
  }
  return (
    <section aria-label="Text-to-Speech">
      <button onClick={speak}>Speak</button>
      <p role="status">
        Text-to-Speech is {status}. Messages received: {received}
      </p>
      {failureReason && <p role="alert">{failureReason.message}</p>}
    </section>
  )
}

/** The list that the server has rendered, and its next pages. */
function Meetings() {
  const { meetings, error, hasNextPage, fetchNextPage } = useMeetings(filters)
  return (
    <section>
      <ul aria-label="Meetings">
        {meetings.map(({ id, title }) => (
          <li key={id}>{title ?? 'Untitled'}</li>
        ))}
      </ul>
      {hasNextPage && <button onClick={() => void fetchNextPage()}>Load more</button>}
      {error && <p role="alert">{error.message}</p>}
    </section>
  )
}
