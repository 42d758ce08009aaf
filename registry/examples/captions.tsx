import { useVoiceSession } from '@stagepass/react/audio'
import { Captions } from '../items/captions'

export function Page() {
  const session = useVoiceSession('stt')
  return (
    <>
      <button
        type="button"
        onClick={
          session.status === 'idle' ? session.start : session.stop
        }
      >
        {session.status === 'idle' ? 'Start' : 'End'}
      </button>
      <Captions stream={session.stream} />
    </>
  )
}
