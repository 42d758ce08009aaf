import { createBff, type Grant } from '@stagepass/bff/fetch'
import { type BrowserEmulatorOptions, createBrowserEmulator, fail } from '@stagepass/emulator/browser'
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

interface Situation extends BrowserEmulatorOptions {
  /** The result of `authorize`, in place of a user with meetings. */
  readonly grant?: Grant | null
}

const story = ({ grant, ...options }: Situation = {}) => ({
  // A loader runs once for each story. A render may run often.
  loaders: [
    () => {
      const emulator = createBrowserEmulator(options)
      const meetings = { credential: emulator.meetingsCredential }
      const authorize = () => (grant === undefined ? { user: 'ada', meetings } : grant)
      const bff = createBff({ ...emulator.bffOptions, authorize })
      return { voice: createVoiceClient(emulator.clientOptions(bff)), queries: new QueryClient() }
    },
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
export const SignedOut = story({ grant: null })
export const Refused = story({ faults: [fail('CREDENTIAL_INVALID')] })
export const Limited = story({ faults: [fail('RATE_LIMIT_EXCEEDED')] })
export const NotAllowed = story({ grant: { user: 'ada' } })
