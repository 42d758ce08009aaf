import { usePushToTalk, useVoiceSession } from '@stagepass/react/audio'

export function PushToTalk() {
  const session = useVoiceSession('stt', { warm: true })
  const talk = usePushToTalk(session)
  return (
    <>
      <button {...talk}>Hold to talk</button>
      <p>{session.status === 'active' && 'Listening'}</p>
      <p role="alert">{session.error?.message}</p>
    </>
  )
}
