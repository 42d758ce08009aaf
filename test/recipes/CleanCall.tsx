import { useVoiceSession } from '@stagepass/react/audio'

/** `sender` sends your voice in a call, such as `connection.addTransceiver('audio').sender`. */
export function CleanCall({ sender }: { sender: RTCRtpSender }) {
  const session = useVoiceSession('viva', { playback: { audible: false, cushionMs: 60 } })
  const isOff = session.status === 'idle' || session.status === 'failed'
  const start = () => {
    session.start()
    const clean = session.playback.stream()
    const send = () => void sender.replaceTrack(clean?.getAudioTracks()[0] ?? null)
    // The stream gets another track if the sound of the page is restarted.
    clean?.addEventListener('addtrack', send)
    send()
  }
  return (
    <>
      <button onClick={isOff ? start : session.stop}>{isOff ? 'Speak' : 'Mute'}</button>
      <p role="status">
        {session.status === 'active' ? 'You are heard, without the noise.' : 'You are not heard.'}
      </p>
      <p role="alert">{session.error?.message}</p>
    </>
  )
}
