'use client'

import {
  useMicrophonePermission,
  useMicrophones,
  useSpeakers,
  type UseVoiceSessionResult,
} from '@stagepass/react/audio'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import './device-select.css'

type Device = ReturnType<typeof useMicrophones>[number]
type Microphone = DeviceSelectProps['session']['microphone']

export interface DeviceSelectProps {
  /** The result of `useVoiceSession`. */
  readonly session: Pick<UseVoiceSessionResult<never, unknown>, 'microphone'>
  /** The chosen microphone: give it to `useVoiceSession` as `microphone: { deviceId }`. */
  readonly deviceId: string | undefined
  /** Called when the user chooses a microphone; `undefined` is the system's default. */
  readonly onDevice: (deviceId: string | undefined) => void
  /** The chosen loudspeaker: give it to `useVoiceSession` as `playback: { deviceId: speakerId }`. */
  readonly speakerId?: string | undefined
  /** Called when the user chooses a loudspeaker. Without it, and in Firefox and Safari, it is absent. */
  readonly onSpeaker?: ((speakerId: string | undefined) => void) | undefined
  /** The product, such as "Speech-to-Text". Needed if the page has several of these. */
  readonly name?: string | undefined
}

/** Chooses microphone and loudspeaker, shows the level of the voice, and mutes it. */
export function DeviceSelect(props: DeviceSelectProps): ReactNode {
  const { session, deviceId, onDevice, speakerId, onSpeaker, name } = props
  const { microphone } = session
  const { muted } = microphone
  const microphones = useMicrophones()
  const speakers = useSpeakers()
  const permission = useMicrophonePermission()
  return (
    <div className="stagepass-device-select">
      <DeviceMenu label="Microphone" of={name} devices={microphones} value={deviceId} onChange={onDevice} />
      {permission === 'denied' ? (
        <p>The microphone is not allowed.</p>
      ) : (
        microphones.every((one) => one.label === '') && <p>The names come when you allow the microphone.</p>
      )}
      <div className="voice">
        <button
          type="button"
          aria-label={nameOf('Mute', name)}
          aria-pressed={muted}
          onKeyDown={ignoreRepeat}
          onClick={() => microphone.setMuted(!muted)}
        >
          Mute
        </button>
        {muted ? <p>You are not heard.</p> : <Level level={microphone.level} of={name} />}
      </div>
      <p role="status">{noteOf(microphone, deviceId)}</p>
      {onSpeaker && speakers.length > 0 && (
        <DeviceMenu label="Loudspeaker" of={name} devices={speakers} value={speakerId} onChange={onSpeaker} />
      )}
    </div>
  )
}

/** A key that is held down clicks again and again. */
const ignoreRepeat = (event: KeyboardEvent) => event.repeat && event.key === 'Enter' && event.preventDefault()

/** The accessible name: the visible words and the product. Without a product the words are enough. */
const nameOf = (words: string, name: string | undefined): string | undefined => name && `${words}, ${name}`

/** Says why another device than the chosen one is in use. */
function noteOf(microphone: Microphone, chosen: string | undefined): string {
  if (microphone.status !== 'capturing' || !chosen || microphone.deviceId === chosen) return ''
  return `The chosen microphone cannot be used now. You are heard through ${microphone.label} until it can.`
}

interface DeviceMenuProps {
  readonly label: string
  readonly of: string | undefined
  readonly devices: readonly Device[]
  readonly value: string | undefined
  readonly onChange: (deviceId: string | undefined) => void
}

function DeviceMenu({ label, of, devices, value, onChange }: DeviceMenuProps): ReactNode {
  const id = useId()
  const found = devices.find(({ deviceId }) => deviceId === value)
  // A device that was unplugged has no label.
  const [last, setLast] = useState(found)
  if (found?.label && (found.deviceId !== last?.deviceId || found.label !== last.label)) setLast(found)
  const isNamed = devices.some((device) => device.label !== '')
  const lastLabel = last && last.deviceId === value ? last.label : `Chosen ${label.toLowerCase()}`
  return (
    <div className="device">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        aria-label={nameOf(label, of)}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">System default</option>
        {value !== undefined && !found && (
          <option value={value} dir="auto">
            {isNamed ? `${lastLabel} (not connected)` : lastLabel}
          </option>
        )}
        {devices
          // Chromium lists the system's choice as a device.
          .filter(({ deviceId }) => deviceId !== 'default')
          .map((device, index) => (
            <option key={device.deviceId} value={device.deviceId} dir="auto">
              {device.label || `${label} ${index + 1}`}
            </option>
          ))}
      </select>
    </div>
  )
}

/** Interval at which the number is updated, for users who do not see the bar. */
const READ_MS = 500

/** The level of the microphone, painted outside of React. */
function Level({ level, of }: { readonly level: () => number; readonly of: string | undefined }): ReactNode {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // jsdom, in which an application may test its page, has no media queries.
    const still = globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches
    let frame = 0
    let readAt = 0
    let shown = 0
    const paint = (now: number): void => {
      frame = requestAnimationFrame(paint)
      const meter = ref.current
      if (!meter) return
      // The bar falls slower than the voice, because it would flicker.
      shown = Math.max(Math.sqrt(level()), shown * 0.9)
      const isRead = now - readAt >= READ_MS
      const percent = Math.round(shown * 100)
      if (isRead || !still) meter.style.setProperty('--level', `${percent}%`)
      if (!isRead) return
      readAt = now
      meter.setAttribute('aria-valuenow', String(percent))
    }
    frame = requestAnimationFrame(paint)
    return () => cancelAnimationFrame(frame)
  }, [level])
  return (
    <div
      ref={ref}
      className="level"
      role="meter"
      aria-label={nameOf('Level of the microphone', of) ?? 'Level of the microphone'}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    />
  )
}
