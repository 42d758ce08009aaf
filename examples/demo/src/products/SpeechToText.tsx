import { useVoiceSession } from '@stagepass/react/audio'
import { Captions } from '@stagepass/registry/captions'
import { DeviceSelect } from '@stagepass/registry/device-select'
import { VoiceSession } from '@stagepass/registry/voice-session'
import { type ReactNode, useState } from 'react'
import { Card } from './Card.js'
import { Recording } from './Recording.js'

/** `isFirstLook`: a recording plays by itself. */
export function SpeechToText({ isFirstLook }: { readonly isFirstLook: boolean }): ReactNode {
  const [deviceId, setDeviceId] = useState<string>()
  const session = useVoiceSession('stt', { rollover: 'seamless', microphone: { deviceId } })
  return (
    <Card
      product="stt"
      purpose="Speech in, captions out, while it is spoken."
      stream={session.stream}
      onDisconnect={session.stop}
    >
      <Recording session={session} name="Speech-to-Text" silenceMs={1_000} isFirstLook={isFirstLook} />
      {session.stream.status !== 'idle' && <Captions stream={session.stream} label="Captions" />}
      <VoiceSession session={session} name="Speech-to-Text" />
      <details aria-label="Microphone of Speech-to-Text">
        <summary>Choose a microphone</summary>
        <DeviceSelect session={session} name="Speech-to-Text" deviceId={deviceId} onDevice={setDeviceId} />
      </details>
    </Card>
  )
}
