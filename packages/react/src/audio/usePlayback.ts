import { createPlayback, type Playback, type PlaybackOptions } from '@stagepass/audio'
import { useEffect, useInsertionEffect, useState, useSyncExternalStore } from 'react'
import { sayUnknown } from '../errors/sayUnknown.js'
import { useIdentityEnd } from '../identity/useIdentityEnd.js'

/** The result of `usePlayback`: the state of the playback, and its functions. */
export type UsePlaybackResult = Omit<Playback, 'subscribe' | 'close'>

/**
 * `createPlayback` for one component. The loudspeaker is released when the component unmounts. When the user
 * of the `VoiceProvider` changes, sound that was not heard yet is dropped. Sound and levels cause no render.
 * `deviceId` and `onHeard` may change while it plays; the other options are read once.
 */
export function usePlayback(options: PlaybackOptions = {}): UsePlaybackResult {
  const [{ playback, setOptions }] = useState(() => createWithLatestOptions(options))
  useInsertionEffect(() => setOptions(options))
  const { deviceId } = options
  useEffect(() => playback.setDevice(deviceId), [playback, deviceId])
  useEffect(() => playback.close, [playback])
  const client = useIdentityEnd(playback.interrupt)
  if (process.env.NODE_ENV !== 'production' && client)
    sayUnknown(client.said, 'usePlayback does not know the option', options, {
      sampleRate: true,
      cushionMs: true,
      maxBufferedMs: true,
      deviceId: true,
      audible: true,
      onHeard: true,
      workletUrl: true,
    })
  // One value for all fields that cause a render.
  const read = (): string => `${playback.status} ${playback.muted} ${playback.paused}`
  useSyncExternalStore(playback.subscribe, read, read)
  const { status, error, muted, paused } = playback
  return { ...playback, status, error, muted, paused }
}

/** A playback that calls the `onHeard` of the latest options. */
function createWithLatestOptions(options: PlaybackOptions) {
  let latest = options
  const playback = createPlayback({ ...options, onHeard: (data, how) => latest.onHeard?.(data, how) })
  return {
    playback,
    setOptions: (next: PlaybackOptions): void => {
      latest = next
    },
  }
}
