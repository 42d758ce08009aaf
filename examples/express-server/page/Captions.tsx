import { useStream } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'
import { selectText, useTranscript } from '@stagepass/react/transcript'

/** Captions of what the user says. The stream is always opened with a live session token. */
export function Captions() {
  const stream = useStream('stt')
  const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
  const { segments } = useTranscript(stream, { select: selectText })
  const isOn = microphone.status === 'capturing'
  return (
    <section>
      <h2>Captions</h2>
      <button onClick={() => (isOn ? microphone.stop() : void microphone.start())}>
        {isOn ? 'Stop' : 'Speak'}
      </button>
      <p role="status">Speech-to-Text is {stream.status}.</p>
      <ul aria-label="Captions">
        {segments.slice(-5).map(({ key, text, language }) => (
          <li key={key} lang={language}>
            {text}
          </li>
        ))}
      </ul>
      {stream.error && <p role="alert">{stream.error.message}</p>}
      {microphone.status === 'failed' && <p role="alert">{microphone.error.message}</p>}
    </section>
  )
}
