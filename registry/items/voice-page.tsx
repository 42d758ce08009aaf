'use client'

import { useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { type ReactNode, useState } from 'react'
import { Captions } from './captions'
import { DeviceSelect } from './device-select'
import { MeetingsList } from './meetings-list'
import { UsageMeter } from './usage-meter'
import './voice-page.css'
import { VoiceSession } from './voice-session'

export interface VoicePageProps {
  /** Opens your login, when the login session has ended. */
  readonly onSignIn?: (() => void) | undefined
  /** The filters of the meetings list, as in `MeetingsList`. Default: all. */
  readonly filters?: Parameters<typeof MeetingsList>[0]['filters']
}

/** For a service with other messages, write one of your own: it says which text is final. */
const codec = captions()

/** A whole voice page: captions, their controls, minutes, and meetings. */
export function VoicePage({ onSignIn, filters }: VoicePageProps): ReactNode {
  const [deviceId, setDeviceId] = useState<string>()
  const session = useVoiceSession('stt', { codec, microphone: { deviceId }, silence: {} })
  return (
    <div className="stagepass-voice-page">
      <div className="talk">
        <Captions stream={session.stream} />
        <VoiceSession
          session={session}
          name="Speech-to-Text"
          onSignIn={onSignIn}
          devices={<DeviceSelect session={session} deviceId={deviceId} onDevice={setDeviceId} />}
        />
      </div>
      <UsageMeter product="stt" savedMs={session.silence.savedMs} />
      <MeetingsList {...(filters && { filters })} />
    </div>
  )
}
