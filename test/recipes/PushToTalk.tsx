import { useVoiceSession } from '@stagepass/react/audio'

export function PushToTalk() {
  const session = useVoiceSession('stt', { warm: true })
  return (
    <button onPointerDown={session.start} onPointerUp={session.stop}>
      {session.status === 'active' ? 'Listening' : 'Hold to talk'}
    </button>
  )
}
