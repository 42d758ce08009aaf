import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { useVoiceSession, type UseVoiceSessionResult } from '@stagepass/react/audio'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

/* A page with two sessions, on a service each: one that waits for speech, and one that stays open. */

type Session = UseVoiceSessionResult<never, unknown>

/** One for both sessions, which then hear the same. */
let opened: Promise<MediaStream> | undefined
const microphone = {
  source: () => (opened ??= navigator.mediaDevices.getUserMedia({ audio: true })),
}
const OPTIONS = {
  waits: { microphone, silence: {} },
  stays: { microphone },
} as const
type Kind = keyof typeof OPTIONS
const KINDS = Object.keys(OPTIONS) as Kind[]
const sessions: Partial<Record<Kind, Session>> = {}

function Talk({ kind }: { readonly kind: Kind }): ReactNode {
  const session = useVoiceSession<never, unknown>('stt', OPTIONS[kind])
  useEffect(() => {
    sessions[kind] = session
  })
  return <p>{session.status}</p>
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  KINDS.map((kind) => (
    <VoiceProvider key={kind} client={createVoiceClient({ url: `/${kind}` })}>
      <Talk kind={kind} />
    </VoiceProvider>
  )),
)

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    const failed = Object.values(sessions).find(({ status }) => status === 'failed')
    if (failed) throw failed.failureReason ?? new Error('Failed to talk: a session failed.')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const bench = {
  /** Starts both sessions, and resolves when their microphones capture and their services hear them. */
  async start(): Promise<void> {
    await until(() => KINDS.every((kind) => sessions[kind]))
    for (const kind of KINDS) {
      sessions[kind]?.start()
      await until(() => sessions[kind]?.microphone.status === 'capturing')
    }
    await until(() => KINDS.every((kind) => sessions[kind]?.status === 'active'))
  },
  untilWaiting: (): Promise<void> => until(() => sessions.waits?.status === 'waiting'),
}

Object.assign(window, { bench })
