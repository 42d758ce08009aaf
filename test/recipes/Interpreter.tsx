import { useVoiceSession } from '@stagepass/react/audio'
import { voiceTranslation } from '@stagepass/react/codecs'
import { useState } from 'react'

const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })

export function Interpreter() {
  const [text, setText] = useState('')
  const session = useVoiceSession('vt', {
    codec,
    onMessage: (message) => {
      if (message.type === 'translate') setText(message.text)
    },
  })
  const isOff = session.status === 'idle' || session.status === 'failed'
  return (
    <>
      <button onClick={isOff ? session.start : session.stop}>{isOff ? 'Interpret' : 'Stop'}</button>
      <p>{text}</p>
      <p role="alert">{session.error?.message}</p>
    </>
  )
}
