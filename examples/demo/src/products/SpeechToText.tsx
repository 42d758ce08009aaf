import { useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { Captions } from '@stagepass/registry/captions'
import { DeviceSelect } from '@stagepass/registry/device-select'
import { type ReactNode, useState } from 'react'
import { Card } from './Card.js'
import { Controls } from './Controls.js'

const codec = captions()

/** `isFirstLook`: a recording plays by itself. */
export function SpeechToText({ isFirstLook }: { readonly isFirstLook: boolean }): ReactNode {
  const [deviceId, setDeviceId] = useState<string>()
  const session = useVoiceSession('stt', { codec, rollover: 'seamless', microphone: { deviceId } })
  return (
    <Card product="stt" purpose="Speech in, captions out, while it is spoken." stream={session.stream}>
      <Captions stream={session.stream} label="Captions" />
      <Controls
        session={session}
        name="Speech-to-Text"
        devices={
          <DeviceSelect session={session} name="Speech-to-Text" deviceId={deviceId} onDevice={setDeviceId} />
        }
        silenceMs={1_000}
        isFirstLook={isFirstLook}
      />
    </Card>
  )
}
