import { refuse } from '@stagepass/emulator/browser'
import { useStream, VoiceProvider } from '@stagepass/react'
import { createTestVoice, type TestVoice, type TestVoiceOptions } from '@stagepass/react/testing'
import { type ReactNode, useState } from 'react'

function Dictation(): ReactNode {
  const [text, setText] = useState('')
  const { status, error } = useStream('stt', {
    onMessage: (message) => {
      if (typeof message === 'string') setText(message)
    },
  })
  if (error) return <p role="alert">{error.message}</p>
  return <p role="status">{text || status}</p>
}

interface Loaded {
  readonly loaded: { readonly voice?: TestVoice }
}

const story = (options: TestVoiceOptions = {}) => ({
  // A loader runs once for each story. A render may run often.
  loaders: [() => ({ voice: createTestVoice(options) })],
  render: (_args: object, { loaded: { voice } }: Loaded): ReactNode =>
    voice && (
      <VoiceProvider client={voice.client}>
        <Dictation />
      </VoiceProvider>
    ),
})

export default { title: 'Dictation', component: Dictation }
export const Refused = story({ faults: [refuse(402)] })
export const Hears = {
  ...story(),
  play: async ({ loaded: { voice } }: Loaded): Promise<void> => {
    while (voice && voice.emulator.sockets.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 20))
    voice?.emulator.sockets[0]?.send('Good morning')
  },
}
