import { createVoiceClient, VoiceProvider } from '@stagepass/react'
import { useVoiceSession, type UseVoiceSessionResult } from '@stagepass/react/audio'
import { type ReactNode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

/* A page whose session waits for speech. The speech is a synthetic voice in place of a microphone. */

const VOICE_SECONDS = 1
/** From the call to the first sample: the graph of the context must be ready. */
const AHEAD_SECONDS = 0.2

const voice = createVoiceClient({ url: '/api/voice' })
const context = new AudioContext()
const output = new MediaStreamAudioDestinationNode(context)
const quiet = new ConstantSourceNode(context, { offset: 0 })
quiet.connect(output)
quiet.start()
const SESSION = { microphone: { source: output.stream }, silence: { closeAfterMs: 500 } }

let session: UseVoiceSessionResult<unknown, unknown> | undefined

function Page(): ReactNode {
  const current = useVoiceSession('stt', SESSION)
  useEffect(() => {
    session = current as typeof session
  })
  return <p>{current.status}</p>
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <VoiceProvider client={voice}>
    <Page />
  </VoiceProvider>,
)

const { sampleRate } = context
const sound = new AudioBuffer({ length: VOICE_SECONDS * sampleRate, sampleRate })
sound.copyToChannel(
  Float32Array.from({ length: sound.length }, (_, index) =>
    [120, 240, 480, 720, 1_080, 1_200, 2_400].reduce(
      (sum, hertz) => sum + 0.09 * Math.sin((2 * Math.PI * hertz * index) / sampleRate),
      0,
    ),
  ),
  0,
)

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10))
}

const speech = {
  async start(): Promise<void> {
    await until(() => session !== undefined)
    session?.start()
  },
  untilWaiting: (): Promise<void> => until(() => session?.status === 'waiting'),
  /** Returns the time of the first sample, in milliseconds since the epoch. */
  say(): number {
    const speaker = new AudioBufferSourceNode(context, { buffer: sound })
    const at = context.currentTime + AHEAD_SECONDS
    speaker.connect(output)
    speaker.start(at)
    return Date.now() + (at - context.currentTime) * 1_000
  },
}

Object.assign(window, { speech })
