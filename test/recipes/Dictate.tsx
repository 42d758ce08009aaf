import { useStream } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'

export function Dictate() {
  const stream = useStream('stt', { enabled: false })
  const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
  const start = (): void => {
    void microphone.start()
    stream.open()
  }
  const stop = (): void => {
    microphone.stop()
    void stream.finish()
  }
  const failed = microphone.status === 'failed' ? microphone.error : null
  return (
    <>
      <button onClick={start}>Speak</button>
      <button onClick={stop}>Stop</button>
      {microphone.status === 'recovering' && <p role="status">You are not heard for a moment.</p>}
      {failed && <p role="alert">{failed.message}</p>}
    </>
  )
}
