import {
  useStream,
  useStreamValue,
  VoiceProvider,
} from '@stagepass/react'
import type { ReactNode } from 'react'
import { useState } from 'react'
import { speakInto } from './speakInto.js'
import type { SampleProps } from './Tab.js'

export function StreamSample({ voice }: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <Stream />
    </VoiceProvider>
  )
}

function Stream(): ReactNode {
  const [isWanted, setWanted] = useState(false)
  const stream = useStream('stt', { enabled: isWanted })
  // Renders at most once in an animation frame.
  const last = useStreamValue(stream, (message) => message)

  return (
    <>
      <p>
        The stream is <strong role="status">{stream.status}</strong>.
      </p>
      <div className="row">
        <button className="act" onClick={() => setWanted(!isWanted)}>
          {isWanted ? 'Disconnect' : 'Connect'}
        </button>
        {/* One sentence of sound, as a microphone would give it. */}
        <button
          className="act"
          disabled={stream.status !== 'open'}
          onClick={() => speakInto(stream)}
        >
          Speak
        </button>
      </div>
      {stream.failureReason && (
        <p role="alert">{stream.failureReason.message}</p>
      )}
      <p>The last message:</p>
      <code className="message">
        {typeof last === 'string' ? last : 'none yet'}
      </code>
    </>
  )
}
