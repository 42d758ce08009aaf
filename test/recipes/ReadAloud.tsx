import { useStream } from '@stagepass/react'
import { usePlayback } from '@stagepass/react/audio'
import { speech } from '@stagepass/react/codecs'
import { useRef, useState } from 'react'

const codec = speech()

export function ReadAloud({ text }: { text: string }) {
  const [spoken, setSpoken] = useState(-1)
  const [refusal, setRefusal] = useState('')
  const next = useRef(0)
  const playback = usePlayback({
    maxBufferedMs: 300_000,
    onHeard: (index, { skipped }) => setSpoken(skipped ? -1 : (index as number)),
  })
  const stream = useStream('tts', {
    codec,
    enabled: false,
    onMessage: (message) => {
      if (message.type === 'start') next.current = 0
      if (message.type === 'audio') playback.play(message.pcm)
      // Heard is what was played before, so the word begins.
      if (message.type === 'word') playback.mark(next.current++)
      if (message.type === 'end') {
        playback.mark(-1)
        playback.endOfSpeech()
      }
      if (message.type === 'error') setRefusal(message.message)
      // What is still to be heard costs no minutes.
      if (message.type === 'end' || message.type === 'error') stream.close()
    },
  })
  const speak = () => {
    setRefusal('')
    playback.unlock()
    stream.open()
    stream.send({ text })
  }
  const stop = () => {
    stream.close()
    playback.interrupt()
  }
  return (
    <>
      <button onClick={spoken < 0 ? speak : stop}>{spoken < 0 ? 'Read aloud' : 'Stop'}</button>
      <p>
        {text.split(/\s+/).map((word, index) => (
          <span key={index}>{index === spoken ? <mark>{word}</mark> : word} </span>
        ))}
      </p>
      <p role="alert">{refusal || (stream.error ?? playback.error)?.message}</p>
    </>
  )
}
