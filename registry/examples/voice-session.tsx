import { useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { VoiceSession } from '../items/voice-session'

const codec = captions()

export function Page() {
  const session = useVoiceSession('stt', { codec })
  return (
    <VoiceSession
      session={session}
      name="Speech-to-Text"
      onSignIn={() => location.assign('/login')}
    />
  )
}
