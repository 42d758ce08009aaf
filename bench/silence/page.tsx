import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { useVoiceSession, type UseVoiceSessionResult } from '@stagepass/react/audio'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

/* A page with two sessions, on a service each: one that waits for speech, and one that stays open. */

type Session = UseVoiceSessionResult<never, unknown>

const KINDS = { waits: { silence: { closeAfterMs: 1_500 } }, stays: {} } as const
type Kind = keyof typeof KINDS

const sessions: Partial<Record<Kind, Session>> = {}

function Talk({ kind }: { readonly kind: Kind }): ReactNode {
  const session = useVoiceSession<never, unknown>('stt', KINDS[kind])
  useEffect(() => {
    sessions[kind] = session
  })
  return <p>{session.status}</p>
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  (['waits', 'stays'] as const).map((kind) => (
    <VoiceProvider key={kind} client={createVoiceClient({ url: `/${kind}` })}>
      <Talk kind={kind} />
    </VoiceProvider>
  )),
)

async function until(isTrue: () => boolean, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs
  while (!isTrue()) {
    if (performance.now() > end)
      throw new Error(
        `Failed to get there: ${JSON.stringify(Object.entries(sessions).map(([kind, { status, error, microphone }]) => [kind, status, String(error), microphone.status]))}`,
      )
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const bench = {
  /** Starts these sessions, and resolves when the service hears them. */
  async start(kinds: readonly Kind[]): Promise<void> {
    await until(() => kinds.every((kind) => sessions[kind] !== undefined))
    for (const kind of kinds) sessions[kind]?.start()
    await until(() => kinds.every((kind) => sessions[kind]?.status === 'active'))
  },
  untilWaiting: (): Promise<void> => until(() => sessions.waits?.status === 'waiting'),
  state: () =>
    Object.entries(sessions).map(([kind, { status, silence, microphone }]) => ({
      kind,
      status,
      microphone: microphone.status === 'capturing' ? microphone.label : microphone.status,
      ...silence,
    })),
}

Object.assign(window, { bench })
