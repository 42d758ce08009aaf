import type { AudioDevice } from '@stagepass/audio'
import type { ReactNode } from 'react'

interface DeviceMenuProps {
  /** "Microphone" or "Loudspeaker". */
  readonly kind: string
  readonly devices: readonly AudioDevice[]
  readonly value: AudioDevice | undefined
  readonly onChange: (device: AudioDevice) => void
}

/**
 * Not there if there is nothing to choose. A device that was chosen stays in the list while it is not
 * connected.
 */
export function DeviceMenu({ kind, devices, value, onChange }: DeviceMenuProps): ReactNode {
  if (devices.length < 2) return null
  const isMissing = value !== undefined && !devices.some(({ deviceId }) => deviceId === value.deviceId)
  return (
    <select
      className="input grow"
      aria-label={kind}
      value={(value ?? devices[0])?.deviceId}
      onChange={({ target }) => {
        const chosen = devices.find(({ deviceId }) => deviceId === target.value)
        if (chosen) onChange(chosen)
      }}
    >
      {isMissing && <option value={value.deviceId}>{value.label} (not connected)</option>}
      {devices.map(({ deviceId, label }, index) => (
        <option key={deviceId} value={deviceId}>
          {label || `${kind} ${index + 1}`}
        </option>
      ))}
    </select>
  )
}
