'use client'

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createVoiceClient, useMeetings, useSessionToken, useStream, VoiceProvider } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'
import { voiceTranslation } from '@stagepass/react/codecs'
import { useEffect, useState } from 'react'

const voice = createVoiceClient({ url: '/api/voice' })
const queryClient = new QueryClient()
const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })

function Facts() {
  const token = useSessionToken('stt')
  const stream = useStream('vt', { codec })
  const { meetings } = useMeetings({ ownership: 'mine', fields: ['title'] })
  const [frames, setFrames] = useState(0)
  const microphone = useMicrophone({ onFrame: () => setFrames((count) => count + 1) })
  const { start } = microphone
  useEffect(() => void start(), [start])
  const sound = microphone.status === 'failed' ? microphone.error.message : frames > 2 ? 'heard' : 'silent'
  return (
    <p>
      {`token ${token.status}, stream ${stream.status}, ${meetings.length} meetings, microphone ${sound}`}
    </p>
  )
}

/** Every build must show a token, an open stream, a list, and frames from the microphone's worklet. */
export function Voice() {
  return (
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice}>
        <Facts />
      </VoiceProvider>
    </QueryClientProvider>
  )
}
