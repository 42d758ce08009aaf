import { useVoiceSession } from '@stagepass/react/audio'
import { selectText, useTranscript } from '@stagepass/react/transcript'

/** Captions of what the user says. An open stream costs minutes, so it is open from `start` to `stop`. */
export function Captions() {
  const { status, failureReason, start, stop, stream } = useVoiceSession('stt')
  const { segments } = useTranscript(stream, { select: selectText })
  const isOff = status === 'idle' || status === 'failed'
  return (
    <section>
      <h2>Captions</h2>
      <button onClick={isOff ? start : stop}>{isOff ? 'Speak' : 'Stop'}</button>
      <p role="status">Speech-to-Text is {stream.status}.</p>
      <ul aria-label="Captions">
        {segments.slice(-5).map(({ key, text, language }) => (
          <li key={key} lang={language}>
            {text}
          </li>
        ))}
      </ul>
      {failureReason && <p role="alert">{failureReason.message}</p>}
    </section>
  )
}
