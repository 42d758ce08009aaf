import { createPlayback, type Playback, type PlaybackOptions } from '@stagepass/audio'
import { useEffect, useInsertionEffect, useState, useSyncExternalStore } from 'react'
import { useIdentityEnd } from './useIdentityEnd.js'

/** What `usePlayback` returns: the state of the playback, and its functions. */
export type UsePlaybackResult = Omit<Playback, 'subscribe' | 'close'>

/**
 * `createPlayback` for one component: the loudspeaker is given back when it unmounts. When the user of the
 * `VoiceProvider` changes, what was not heard yet is dropped. Sound and levels cause no render. `deviceId`
 * and `onHeard` may change while it plays; the other options are read once.
 */
export function usePlayback(options: PlaybackOptions = {}): UsePlaybackResult {
  const [{ playback, setOptions }] = useState(() => createFollowing(options))
  useInsertionEffect(() => setOptions(options))
  const { deviceId } = options
  useEffect(() => playback.setDevice(deviceId), [playback, deviceId])
  useEffect(() => playback.close, [playback])
  useIdentityEnd(playback.interrupt)
  // One value for all that a component shows.
  const read = (): string => `${playback.status} ${playback.muted} ${playback.paused}`
  useSyncExternalStore(playback.subscribe, read, read)
  const { status, error, muted, paused } = playback
  return { ...playback, status, error, muted, paused }
}

/** A playback that calls the `onHeard` of the latest options. */
function createFollowing(options: PlaybackOptions) {
  let latest = options
  const playback = createPlayback({ ...options, onHeard: (data, how) => latest.onHeard?.(data, how) })
  return {
    playback,
    setOptions: (next: PlaybackOptions): void => {
      latest = next
    },
  }
}
