import { useVoiceSession } from '@stagepass/react/audio'
import { VoiceSession } from '../items/voice-session'

export function Page() {
  const session = useVoiceSession('stt')
  return (
    <VoiceSession
      session={session}
      name="Speech-to-Text"
      onSignIn={() => location.assign('/login')}
    />
  )
}
