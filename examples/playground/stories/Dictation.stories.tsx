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

let voice: TestVoice

const story = (options: TestVoiceOptions = {}) => ({
  // Runs once for each story; a render may run often. The function it returns runs when the story is left.
  beforeEach: () => {
    voice = createTestVoice(options)
    return () => voice.close()
  },
  render: (): ReactNode => (
    <VoiceProvider client={voice.client}>
      <Dictation />
    </VoiceProvider>
  ),
})

export default { title: 'Dictation', component: Dictation }
export const Refused = story({ faults: [refuse(402)] })
export const Hears = {
  ...story(),
  play: async (): Promise<void> => {
    const { emulator } = voice
    while (emulator.sockets.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    emulator.sockets[0]?.send('Good morning')
  },
}
