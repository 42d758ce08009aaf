import { useVoiceSession } from '@stagepass/react/audio'
import { voiceTranslation } from '@stagepass/react/codecs'
import { selectTranscript, selectTranslation, useTranscript } from '@stagepass/react/transcript'

const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })

export function TwoLanguages() {
  const session = useVoiceSession('vt', { codec })
  const spoken = useTranscript(session.stream, { select: selectTranscript })
  const translated = useTranscript(session.stream, { select: selectTranslation })
  const isOff = session.status === 'idle' || session.status === 'failed'
  return (
    <>
      <button onClick={isOff ? session.start : session.stop}>{isOff ? 'Start' : 'Stop'}</button>
      <div style={{ display: 'grid', gridTemplateColumns: '1fr 1fr', gap: '1rem' }}>
        <ul lang="en" aria-label="English">
          {spoken.segments.slice(-5).map(({ key, text }) => (
            <li key={key}>{text}</li>
          ))}
        </ul>
        <ul lang="es" aria-label="Español">
          {translated.segments.slice(-5).map(({ key, text }) => (
            <li key={key}>{text}</li>
          ))}
        </ul>
      </div>
      <p role="alert">{session.error?.message}</p>
    </>
  )
}
