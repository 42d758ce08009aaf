import { useStream } from '@stagepass/react'
import { usePlayback } from '@stagepass/react/audio'
import { speech } from '@stagepass/react/codecs'
import { type ReactNode, useRef, useState } from 'react'
import { Card } from './Card.js'
import { Choice } from '../Choice.js'
import { SupportId } from './SupportId.js'

const codec = speech()
const VOICES = { female: 'Female', male: 'Male' } as const
const TEXT =
  'And Mr John Dashwood had then leisure to consider how much there might be prudently in his power.'

export function TextToSpeech(): ReactNode {
  const [text, setText] = useState(TEXT)
  const [voice, setVoice] = useState<keyof typeof VOICES>('female')
  /** The spoken text, and the index of the word that is heard now; -1 for none. */
  const [spoken, setSpoken] = useState({ text: '', at: -1 })
  const [refusal, setRefusal] = useState('')
  const next = useRef(0)
  const playback = usePlayback({
    maxBufferedMs: 300_000,
    onHeard: (at, { skipped }) => setSpoken((before) => ({ ...before, at: skipped ? -1 : (at as number) })),
  })
  const stream = useStream('tts', {
    codec,
    enabled: false,
    rollover: 'seamless',
    onMessage(message) {
      if (message.type === 'start') {
        next.current = 0
        setSpoken({ text: message.text, at: -1 })
      }
      if (message.type === 'audio') playback.play(message.pcm)
      // It is heard when the sound before it is over: then the word begins.
      if (message.type === 'word') playback.mark(next.current++)
      if (message.type === 'end') {
        playback.mark(-1)
        playback.endOfSpeech()
      }
      if (message.type === 'error') setRefusal(message.message)
    },
  })
  const failure = stream.failureReason ?? playback.error

  const isSpeaking = spoken.at >= 0
  const isOn = stream.status === 'connecting' || stream.status === 'open' || stream.status === 'reconnecting'

  function speak(): void {
    playback.unlock()
    setRefusal('')
    stream.open()
    stream.send({ text: text.trim(), voice })
  }
  function end(): void {
    stream.close()
    playback.interrupt()
  }

  return (
    <Card
      product="tts"
      purpose="Text in, a voice out; each word is marked while it is heard."
      stream={stream}
    >
      {spoken.text && (
        <p className="spoken">
          {spoken.text.split(/\s+/).map((word, index) => (
            <span key={index}>{index === spoken.at ? <mark>{word}</mark> : word} </span>
          ))}
        </p>
      )}
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault()
          if (isSpeaking) playback.interrupt()
          else speak()
        }}
      >
        <label className="field wide">
          Text to speak
          <textarea
            rows={3}
            maxLength={500}
            required
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <Choice label="Voice" value={voice} options={VOICES} onChange={setVoice} />
        <div className="row wide">
          <button className="button primary" aria-label={`${isSpeaking ? 'Stop' : 'Speak'}, Text-to-Speech`}>
            {isSpeaking ? 'Stop' : 'Speak'}
          </button>
          {isOn && (
            <button className="button" type="button" aria-label="End, Text-to-Speech" onClick={end}>
              End
            </button>
          )}
        </div>
      </form>
      {(failure || refusal) && (
        <p className="failure" role={stream.status === 'reconnecting' ? undefined : 'alert'}>
          {failure?.message ?? refusal}
        </p>
      )}
      <SupportId error={stream.error} name="Text-to-Speech" />
    </Card>
  )
}
