import type { AudioDevice } from '@stagepass/audio'
import { type UsePlaybackResult, useSpeakers } from '@stagepass/react/audio'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { DelayFigure } from './DelayFigure.js'
import { DeviceMenu } from './DeviceMenu.js'

interface PlaybackControlProps {
  readonly name: string
  readonly playback: UsePlaybackResult
}

/** What a person sets of the sound that comes back: how loud it is, and where it is heard. */
export function PlaybackControl({ name, playback }: PlaybackControlProps): ReactNode {
  const [volume, setVolume] = useState(1)
  const [speaker, setSpeaker] = useState<AudioDevice>()
  const speakers = useSpeakers()

  return (
    <div className="row playback">
      <span aria-hidden="true" className="volume-label">
        Volume
      </span>
      <input
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={volume}
        style={{ backgroundSize: `${volume * 100}% 0.25rem, 100% 0.25rem` }}
        aria-label={`Volume of ${name}`}
        aria-valuetext={`${Math.round(volume * 100)} %`}
        onChange={({ target }) => {
          setVolume(target.valueAsNumber)
          playback.setVolume(target.valueAsNumber)
        }}
      />
      <DeviceMenu
        kind="Loudspeaker"
        devices={speakers}
        value={speaker}
        onChange={(device) => {
          setSpeaker(device)
          playback.setDevice(device.deviceId)
        }}
      />
      <DelayFigure of={`sound of ${name}`} latencyMs={playback.latencyMs} />
    </div>
  )
}
