import { useStream } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'

export function PushToTalk() {
  const stream = useStream('stt', { queue: { maxAgeMs: 3_000 } })
  const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })

  function press() {
    if (microphone.status === 'idle' || microphone.status === 'failed') void microphone.start()
    microphone.setMuted(false)
  }

  // Muted frames hold silence: the service hears the pause, and sends the last words.
  return (
    <button onPointerDown={press} onPointerUp={() => microphone.setMuted(true)}>
      Hold to talk
    </button>
  )
}
