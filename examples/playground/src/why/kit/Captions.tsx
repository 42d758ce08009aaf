import { useStream } from '@stagepass/react'
import { selectText, useTranscript } from '@stagepass/react/transcript'
import type { ReactNode } from 'react'
import { useState } from 'react'
import type { Browser } from '../Browser.js'

/** A second of it ends a sentence. `useVoiceSession` sends it itself. */
const SILENCE = new ArrayBuffer(32_000)

export function Captions({ listen }: Browser): ReactNode {
  const stream = useStream('stt')
  const { segments } = useTranscript(stream, { select: selectText })
  const [mute, setMute] = useState<() => void>()

  function speak(): void {
    const stop = listen((frame) => stream.send(frame))
    setMute(() => stop)
  }

  function stop(): void {
    mute?.()
    setMute(undefined)
    stream.send(SILENCE)
    void stream.finish()
  }

  return (
    <>
      <p>The stream is {stream.status}.</p>
      <button onClick={mute ? stop : speak}>
        {mute ? 'Stop' : 'Speak'}
      </button>
      <p className="caption">{segments.at(-1)?.text}</p>
      {stream.error && <p role="alert">{stream.error.message}</p>}
    </>
  )
}
