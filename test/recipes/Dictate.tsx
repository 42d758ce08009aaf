import { useStream } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'

export function Dictate() {
  const stream = useStream('stt')
  const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
  const failed = microphone.status === 'failed' ? microphone.error : null
  return (
    <>
      <button onClick={() => void microphone.start()}>Speak</button>
      <button onClick={() => microphone.stop()}>Stop</button>
      {failed?.code === 'PERMISSION_DENIED' && (
        <p role="alert">Allow the microphone in the address bar, then speak again.</p>
      )}
      {failed && failed.code !== 'PERMISSION_DENIED' && <p role="alert">{failed.message}</p>}
    </>
  )
}
