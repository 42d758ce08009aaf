import { useVoiceSession } from '@stagepass/react/audio'
import { PushToTalk } from '../items/push-to-talk'

export function Page() {
  const session = useVoiceSession('stt')
  return <PushToTalk session={session} />
}
