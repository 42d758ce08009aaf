import { useVoiceSession } from '@stagepass/react/audio'
import { useState } from 'react'
import { DeviceSelect } from '../items/device-select'

export function Page() {
  const [deviceId, setDeviceId] = useState<string>()
  const [speakerId, setSpeakerId] = useState<string>()
  const session = useVoiceSession('stt', {
    microphone: { deviceId },
    playback: { deviceId: speakerId },
  })
  return (
    <>
      <button onClick={session.start}>Speak</button>
      <DeviceSelect
        session={session}
        deviceId={deviceId}
        onDevice={setDeviceId}
        speakerId={speakerId}
        onSpeaker={setSpeakerId}
      />
    </>
  )
}
