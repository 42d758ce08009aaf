import { useVoiceSession } from '@stagepass/react/audio'
import { Captions } from '../items/captions'

export function Page() {
  const session = useVoiceSession('stt')
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
