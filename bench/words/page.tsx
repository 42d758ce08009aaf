import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import {
  useVoiceSession,
  type UseVoiceSessionOptions,
  type UseVoiceSessionResult,
} from '@stagepass/react/audio'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'
import { codecOf } from './codecOf.js'
import { createRecording, soundOf } from './recording.js'

/* A page with a session for each kind of fault. All have the same recording as their microphone. */

type Session = UseVoiceSessionResult<never, unknown>
type Options = Pick<UseVoiceSessionOptions<never, unknown>, 'resend'>

const RATE = 48_000
const sessions = new Map<string, Session>()
/** One for all sessions. */
let source: MediaStream | undefined
const microphone = { source: () => source! }

function Talk({ path, times, options }: { path: string; times: boolean; options: Options }): ReactNode {
  const session = useVoiceSession<never, unknown>('stt', { microphone, codec: codecOf(times), ...options })
  useEffect(() => {
    sessions.set(path, session)
  })
  return <p>{session.status}</p>
}

async function until(isSo: (status: Session['status']) => boolean): Promise<void> {
  while (![...sessions.values()].every(({ status }) => isSo(status)))
    await new Promise((resolve) => setTimeout(resolve, 20))
}

let play = (): void => {}

const bench = {
  /** Starts the sessions, and resolves when all services hear their microphones. */
  async start(
    paths: readonly string[],
    times: boolean,
    lengthMs: number,
    seed: number,
    options: Options = {},
  ) {
    const context = new AudioContext({ sampleRate: RATE })
    const samples = soundOf(createRecording(lengthMs, seed), RATE)
    const buffer = context.createBuffer(1, samples.length, RATE)
    buffer.copyToChannel(samples, 0)
    const output = context.createMediaStreamDestination()
    output.channelCount = 1
    source = output.stream
    const player = new AudioBufferSourceNode(context, { buffer })
    player.connect(output)
    play = () => player.start()
    createRoot(document.body.appendChild(document.createElement('main'))).render(
      paths.map((path) => (
        <VoiceProvider key={path} client={createVoiceClient({ url: path })} user="bench">
          <Talk path={path} times={times} options={options} />
        </VoiceProvider>
      )),
    )
    while (sessions.size < paths.length) await new Promise((resolve) => setTimeout(resolve, 20))
    for (const session of sessions.values()) session.start()
    await until((status) => status === 'active')
  },
  play: () => play(),
  /** Stops the sessions, and resolves when their last texts have come. */
  async stop(): Promise<string[]> {
    const states = [...sessions.values()].map(({ status }) => status)
    for (const { status, stop } of sessions.values()) if (status !== 'failed' && status !== 'idle') stop()
    await until((status) => status === 'idle' || status === 'failed')
    return states
  },
}

Object.assign(window, { bench })
