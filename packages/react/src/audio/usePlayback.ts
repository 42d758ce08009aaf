import { useEffect, useState, useSyncExternalStore } from 'react'
import { createPlayback, type Playback } from './playback/createPlayback.js'
import type { PlaybackOptions } from './playback/PlaybackOptions.js'

export type UsePlaybackResult = Omit<Playback, 'subscribe' | 'close'>

/** `createPlayback` for one component: the loudspeaker is given back when it unmounts. Options are read once. */
export function usePlayback(options: PlaybackOptions = {}): UsePlaybackResult {
  const [playback] = useState(() => createPlayback(options))
  useEffect(() => playback.close, [playback])
  const status = useSyncExternalStore(
    playback.subscribe,
    () => playback.status,
    () => playback.status,
  )
  const muted = useSyncExternalStore(
    playback.subscribe,
    () => playback.muted,
    () => playback.muted,
  )
  return { ...playback, status, muted, error: playback.error }
}
