import { createMicrophone, createPlayback } from '@stagepass/audio'
import { useVoiceSession } from '@stagepass/react/audio'

export function Interpreter() {
  const session = useVoiceSession('vt', {
    microphone: { sampleRate: 16_000, processing: { echoCancellation: true } },
    playback: { sampleRate: 16_000, cushionMs: 200, maxBufferedMs: 60_000 }, // a network with more jitter
    echo: 'duck', // a browser that does not cancel what the page plays itself
    silence: {}, // no connection and no minutes in longer pauses
    soundOf: (message) => (message instanceof ArrayBuffer ? message : undefined),
  })
  return <button onClick={session.start}>Speak</button>
}

/** Without React, and with worklets that you serve yourself: copies of those of the package. */
export function talk(send: (frame: ArrayBuffer) => void) {
  const microphone = createMicrophone({ workletUrl: '/assets/capture.worklet.js' })
  microphone.onFrame(send)
  microphone.onGap(({ lengthMs }) => report(`Nothing was captured for ${lengthMs} ms.`))
  const speaker = createPlayback({ workletUrl: '/assets/playback.worklet.js' })
  /** While a notification of the application is heard, the voice is quieter. */
  const notify = (isHeard: boolean): void => speaker.setDucking(isHeard ? 0.3 : 1)
  /** For a display beside the words. */
  const place = () => ({ heard: speaker.positionMs(), waits: speaker.bufferedMs(), ...speaker.counters() })
  return { microphone, speaker, notify, place }
}
