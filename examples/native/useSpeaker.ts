import { setAudioModeAsync, useAudioPlayer, useAudioPlayerStatus } from 'expo-audio'
import { useState } from 'react'
import { createWav } from './createWav'
import { saveSound } from './saveSound'

/** Plays the sound of one text at a time. */
export interface Speaker {
  readonly isPlaying: boolean
  /** A sentence for the person at the screen, or null. */
  readonly problem: string | null
  /** Takes 16-bit PCM, mono, 16,000 samples a second. Never rejects: a failure is the `problem`. */
  readonly play: (pcm: readonly ArrayBuffer[]) => Promise<void>
  readonly stop: () => void
}

const SAMPLE_RATE = 16_000

/** The loudspeaker, by the module `expo-audio`. It plays files and no PCM, so each text becomes a file. */
export function useSpeaker(): Speaker {
  const [problem, setProblem] = useState<string | null>(null)
  const player = useAudioPlayer(null)
  const { playing } = useAudioPlayerStatus(player)

  async function play(pcm: readonly ArrayBuffer[]): Promise<void> {
    setProblem(null)
    try {
      // After a recording an iPhone plays nothing, and with its switch on silent neither.
      await setAudioModeAsync({ playsInSilentMode: true })
      player.replace({ uri: saveSound(createWav(pcm, SAMPLE_RATE)) })
      player.play()
    } catch {
      setProblem('The sound cannot be played. Another application may use the loudspeaker.')
    }
  }

  return { isPlaying: playing, problem, play, stop: () => player.pause() }
}
