import {
  type BrowserEmulatorOptions,
  createBrowserEmulator,
  fail,
  problem,
} from '@stagepass/emulator/browser'
import { createVoiceClient, useMeetings, type VoiceClient, VoiceProvider } from '@stagepass/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'

function Meetings(): ReactNode {
  const { meetings, status, error } = useMeetings({ fields: ['title'] })
  if (status === 'error') return <p role="alert">{error?.message}</p>
  return (
    <ul aria-busy={status === 'pending'}>
      {meetings.map(({ id, title }) => (
        <li key={id}>{title ?? 'Untitled'}</li>
      ))}
    </ul>
  )
}

interface Loaded {
  readonly loaded: { readonly voice?: VoiceClient; readonly queries?: QueryClient }
}

const story = (options: BrowserEmulatorOptions) => ({
  // A loader runs once for each story. A render may run often.
  loaders: [
    () => ({
      voice: createVoiceClient(createBrowserEmulator(options).clientOptions),
      queries: new QueryClient(),
    }),
  ],
  render: (_args: object, { loaded: { voice, queries } }: Loaded): ReactNode =>
    voice &&
    queries && (
      <QueryClientProvider client={queries}>
        <VoiceProvider client={voice}>
          <Meetings />
        </VoiceProvider>
      </QueryClientProvider>
    ),
})

export default { title: 'Meetings', component: Meetings }
export const Some = story({
  meetings: [
    { id: 'm1', title: 'Roadmap' },
    { id: 'm2', title: 'Review' },
  ],
})
export const None = story({ meetings: [] })
export const SignedOut = story({ user: null })
export const Refused = story({ faults: [fail('CREDENTIAL_INVALID')] })
export const Limited = story({ faults: [problem('RATE_LIMITED', { retryAfterMs: 5_000 })] })
