import { useStream, VoiceProvider } from '@stagepass/react'
import { usePlayback } from '@stagepass/react/audio'
import { speech } from '@stagepass/react/codecs'
import type { ReactNode } from 'react'
import { useRef, useState } from 'react'
import type { SampleProps } from './Tab.js'

const TEXT =
  'Each word is marked while it is heard, and not while it arrives.'
const codec = speech()

export function SpeechSample({ voice }: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <ReadAloud />
    </VoiceProvider>
  )
}

function ReadAloud(): ReactNode {
  /** Index of the word that is heard now; -1: none. */
  const [heard, setHeard] = useState(-1)
  const next = useRef(0)
  const playback = usePlayback({
    maxBufferedMs: 300_000,
    onHeard: (index, { skipped }) =>
      setHeard(skipped ? -1 : (index as number)),
  })
  const stream = useStream('tts', {
    codec,
    enabled: false,
    onMessage: (message) => {
      if (message.type === 'start') next.current = 0
      if (message.type === 'audio') playback.play(message.pcm)
      // It is heard when the sound before it is over.
      if (message.type === 'word') playback.mark(next.current++)
      if (message.type === 'end') {
        playback.mark(-1)
        playback.endOfSpeech()
      }
    },
  })
  const isSpeaking = heard >= 0

  function speak(): void {
    // Browsers allow sound only in the handler of a press.
    playback.unlock()
    stream.open()
    stream.send({ text: TEXT })
  }

  function stop(): void {
    stream.close()
    playback.interrupt()
  }

  return (
    <>
      <button className="act" onClick={isSpeaking ? stop : speak}>
        {isSpeaking ? 'Stop' : 'Read aloud'}
      </button>
      <p className="spoken">
        {TEXT.split(' ').map((word, index) => (
          <span key={index}>
            {index === heard ? <mark>{word}</mark> : word}{' '}
          </span>
        ))}
      </p>
      <p role="alert">{(stream.error ?? playback.error)?.message}</p>
      <p className="note">
        The emulator hums. Your service has a voice.
      </p>
    </>
  )
}
