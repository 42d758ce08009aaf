import { useStream } from '@stagepass/react'
import { selectText, useTranscript } from '@stagepass/react/transcript'
import type { ReactNode } from 'react'
import { speakInto } from '../tabs/speakInto.js'

export function Captions({ drop }: { readonly drop: () => void }): ReactNode {
  const stream = useStream('stt')
  const { segments } = useTranscript(stream, { select: selectText })

  return (
    <>
      <p>
        The stream is <strong role="status">{stream.status}</strong>.
      </p>
      <div className="row">
        {/* One sentence of sound, as a microphone would give it. */}
        <button disabled={stream.status !== 'open'} onClick={() => speakInto(stream)}>
          Speak
        </button>
        <button className="other" disabled={stream.status !== 'open'} onClick={drop}>
          Cut the connection
        </button>
      </div>
      <ol className="captions" aria-label="Captions">
        {segments.slice(-3).map(({ key, text, final }) => (
          <li key={key} className={final ? undefined : 'growing'}>
            {text}
          </li>
        ))}
      </ol>
    </>
  )
}
