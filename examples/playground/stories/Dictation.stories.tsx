import { useStream, VoiceProvider } from '@stagepass/react'
import { createTestVoice, type ScriptedService, type TestVoice } from '@stagepass/react/testing'
import { type ReactNode, useEffect, useState } from 'react'

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

/** Lets the clock of the test voice run: it stands still by itself. */
function Running({ voice }: { readonly voice: TestVoice }): ReactNode {
  useEffect(() => {
    const timer = setInterval(() => void voice.advance(50), 50)
    return () => clearInterval(timer)
  }, [voice])
  return (
    <VoiceProvider client={voice.client}>
      <Dictation />
    </VoiceProvider>
  )
}

interface Loaded {
  readonly loaded: { readonly voice?: TestVoice }
}

const story = (script: (service: ScriptedService) => void = () => {}) => ({
  // A loader runs once for each story. A render may run often.
  loaders: [
    () => {
      const voice = createTestVoice()
      script(voice.service)
      return { voice }
    },
  ],
  render: (_args: object, { loaded: { voice } }: Loaded): ReactNode => voice && <Running voice={voice} />,
})

export default { title: 'Dictation', component: Dictation }
// A fresh token is tried once: the second refusal is final.
export const Refused = story((service) => service.refuse('unauthorized', { by: 'close', times: 2 }))
export const Hears = {
  ...story(),
  play: async ({ loaded: { voice } }: Loaded): Promise<void> => {
    await voice?.advance(100)
    voice?.service.connections[0]?.send('Good morning')
  },
}
