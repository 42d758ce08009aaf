import { useEffect, useState, useSyncExternalStore } from 'react'
import { createPlayback, type Playback, type PlaybackOptions, type PlaybackStatus } from './createPlayback.js'

export type UsePlaybackResult = Pick<
  Playback,
  'status' | 'unlock' | 'play' | 'stop' | 'bufferedMs' | 'counters'
>

/** `createPlayback` for one component: the loudspeaker is given back when it unmounts. Options are read once. */
export function usePlayback(options: PlaybackOptions = {}): UsePlaybackResult {
  const [playback] = useState(() => createPlayback(options))
  useEffect(() => playback.close, [playback])
  const read = (): PlaybackStatus => playback.status
  return { ...playback, status: useSyncExternalStore(playback.subscribe, read, read) }
}
