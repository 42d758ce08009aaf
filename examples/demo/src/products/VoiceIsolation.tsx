import { useVoiceSession } from '@stagepass/react/audio'
import { DeviceSelect } from '@stagepass/registry/device-select'
import { type ReactNode, useRef, useState } from 'react'
import { Card } from './Card.js'
import { Controls } from './Controls.js'
import { loudest, Waveform } from './Waveform.js'

export function VoiceIsolation(): ReactNode {
  const [deviceId, setDeviceId] = useState<string>()
  const [speakerId, setSpeakerId] = useState<string>()
  /** Loudest samples since the waveform was drawn. */
  const loudness = useRef({ sent: 0, received: 0 })
  const session = useVoiceSession('viva', {
    rollover: 'seamless',
    microphone: { deviceId },
    playback: { deviceId: speakerId },
    onMessage(message) {
      if (message instanceof ArrayBuffer) note('received', loudest(message))
    },
  })

  function note(side: 'sent' | 'received', level: number): void {
    loudness.current[side] = Math.max(loudness.current[side], level)
  }

  return (
    <Card
      product="viva"
      purpose="A noisy voice in, the voice alone out: what lies between the words is turned down."
      stream={session.stream}
    >
      <Waveform
        isOn={session.stream.status === 'open'}
        look={() => {
          note('sent', session.microphone.level())
          const { sent, received } = loudness.current
          loudness.current = { sent: 0, received: 0 }
          return [sent, received]
        }}
      />
      <Controls
        session={session}
        name="Voice Isolation"
        devices={
          <DeviceSelect
            session={session}
            name="Voice Isolation"
            deviceId={deviceId}
            onDevice={setDeviceId}
            speakerId={speakerId}
            onSpeaker={setSpeakerId}
          />
        }
        onFrame={(frame) => note('sent', loudest(frame))}
      />
    </Card>
  )
}
