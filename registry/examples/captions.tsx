import { useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { Captions } from '../items/captions'

const codec = captions()

export function Page() {
  const session = useVoiceSession('stt', { codec })
  const isOff =
    session.status === 'idle' || session.status === 'failed'
  return (
    <>
      <button
        type="button"
        onClick={isOff ? session.start : session.stop}
      >
        {isOff ? 'Start' : 'End'}
      </button>
      <Captions stream={session.stream} />
    </>
  )
}
