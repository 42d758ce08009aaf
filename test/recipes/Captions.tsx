import { usePushToTalk, useVoiceSession } from '@stagepass/react/audio'
import { captions } from '@stagepass/react/codecs'
import { selectText, toVtt, useTranscript } from '@stagepass/react/transcript'

const codec = captions()

export function Captions() {
  const session = useVoiceSession('stt', { codec })
  const talk = usePushToTalk(session, { mode: 'toggle' })
  const { segments } = useTranscript(session.stream, { select: selectText })
  return (
    <>
      <button {...talk}>Speak</button>
      <p role="alert">{session.error?.message}</p>
      <ul>
        {segments.slice(-5).map(({ key, text, language }) => (
          <li key={key} lang={language}>
            {text}
          </li>
        ))}
      </ul>
      <a download="captions.vtt" href={`data:text/vtt,${encodeURIComponent(toVtt(segments))}`}>
        Save
      </a>
    </>
  )
}
