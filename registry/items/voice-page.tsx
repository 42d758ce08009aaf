'use client'

import { useVoiceSession } from '@stagepass/react/audio'
import { type ReactNode, useState } from 'react'
import { Captions } from './captions'
import { DeviceSelect } from './device-select'
import { MeetingsList } from './meetings-list'
import { PushToTalk } from './push-to-talk'
import { UsageMeter } from './usage-meter'
import './voice-page.css'
import { VoiceSession } from './voice-session'

export interface VoicePageProps {
  /** Opens your login, when the login session has ended. */
  readonly onSignIn?: (() => void) | undefined
  /** The filters of the meetings list, as in `MeetingsList`. Default: all. */
  readonly filters?: Parameters<typeof MeetingsList>[0]['filters']
}

/** A whole voice page: talk, captions, devices, minutes, and meetings. */
export function VoicePage({ onSignIn, filters }: VoicePageProps): ReactNode {
  const [deviceId, setDeviceId] = useState<string>()
  const session = useVoiceSession('stt', { microphone: { deviceId } })
  return (
    <div className="stagepass-voice-page">
      <div className="talk">
        <VoiceSession session={session} name="Speech-to-Text" onSignIn={onSignIn} />
        <PushToTalk session={session} isAnnounced={false} />
        <Captions stream={session.stream} />
      </div>
      <div className="side">
        <UsageMeter product="stt" />
        <DeviceSelect session={session} deviceId={deviceId} onDevice={setDeviceId} />
      </div>
      <MeetingsList {...(filters && { filters })} />
    </div>
  )
}
