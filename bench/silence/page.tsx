import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { useVoiceSession, type UseVoiceSessionResult } from '@stagepass/react/audio'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

/* A page with two sessions, on a service each: one that waits for speech, and one that stays open. */

type Session = UseVoiceSessionResult<never, unknown>

/** One for both sessions: two would have gain controls that differ. */
let opened: Promise<MediaStream> | undefined
const source = (): Promise<MediaStream> =>
  (opened ??= navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  }))

const microphone = { source }
const KINDS = {
  waits: { microphone, silence: { closeAfterMs: 1_500 } },
  stays: { microphone },
} as const
type Kind = keyof typeof KINDS

/** The energy of all frames that each microphone gave, in the order of their start. */
const heard: { energy: number }[] = []

// Two microphones of one device may differ in some browsers, so each is compared with itself.
MessagePort.prototype.addEventListener = function (
  this: MessagePort,
  ...args: Parameters<EventTarget['addEventListener']>
): void {
  const mine = { energy: 0 }
  EventTarget.prototype.addEventListener.call(this, 'message', (event) => {
    const { frame } = Object((event as MessageEvent).data) as { frame?: ArrayBuffer }
    if (!frame) return
    if (!heard.includes(mine)) heard.push(mine)
    for (const sample of new Int16Array(frame)) mine.energy += sample * sample
  })
  EventTarget.prototype.addEventListener.apply(this, args)
}

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
    for (const kind of kinds) {
      sessions[kind]?.start()
      await until(() => sessions[kind]?.microphone.status === 'capturing')
    }
    await until(() => kinds.every((kind) => sessions[kind]?.status === 'active'))
  },
  untilWaiting: (): Promise<void> => until(() => sessions.waits?.status === 'waiting'),
  heard: (): number[] => heard.map(({ energy }) => energy),
  state: () =>
    Object.entries(sessions).map(([kind, { status, silence, microphone }]) => ({
      kind,
      status,
      microphone: microphone.status === 'capturing' ? microphone.label : microphone.status,
      ...silence,
    })),
}

Object.assign(window, { bench })
