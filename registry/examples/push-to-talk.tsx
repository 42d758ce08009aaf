import { useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { PushToTalk } from '../items/push-to-talk'

const codec = captions()

export function Page() {
  const session = useVoiceSession('stt', { codec })
  return <PushToTalk session={session} />
}
