import { useStream, VoiceProvider } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { speakInto } from './speakInto.js'
import { type Caption, readCaption, withCaption } from './captions.js'
import type { SampleProps } from './Tab.js'

export function StreamSample({ voice }: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <Captions />
    </VoiceProvider>
  )
}

function Captions(): ReactNode {
  const [isWanted, setWanted] = useState(false)
  const [captions, setCaptions] = useState<readonly Caption[]>([])
  const stream = useStream('stt', {
    enabled: isWanted,
    // Called for every message. It causes no render by itself.
    onMessage: (message) => {
      const caption = readCaption(message)
      if (caption) setCaptions((list) => withCaption(list, caption))
    },
  })

  return (
    <>
      <p>
        The stream is <strong role="status">{stream.status}</strong>.
      </p>
      <div className="row">
        <button onClick={() => setWanted(!isWanted)}>{isWanted ? 'Disconnect' : 'Connect'}</button>
        {/* One sentence of sound, as a microphone would give it. */}
        <button disabled={stream.status !== 'open'} onClick={() => speakInto(stream)}>
          Speak
        </button>
      </div>
      {stream.failureReason && <p role="alert">{stream.failureReason.message}</p>}
      <ol className="captions" aria-label="Captions">
        {captions.map(({ id, text, isFinal }) => (
          <li key={id} className={isFinal ? undefined : 'growing'}>
            {text}
          </li>
        ))}
      </ol>
    </>
  )
}
