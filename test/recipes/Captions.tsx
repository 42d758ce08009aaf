import { useStream } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'
import { selectText, toVtt, useTranscript } from '@stagepass/react/transcript'

export function Captions() {
  const stream = useStream('stt')
  const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
  const { segments } = useTranscript(stream, { select: selectText })
  return (
    <>
      <button onClick={() => void microphone.start()}>Speak</button>
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
