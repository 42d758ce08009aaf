import { useStream, useStreamValue } from '@stagepass/react'
import { useMicrophone } from '@stagepass/react/audio'
import { json } from '@stagepass/react/codecs'

/** As your service sends it: a text that is not final replaces the one before. */
interface Words {
  readonly text: string
  readonly final: boolean
}
interface Lines {
  readonly done: readonly string[]
  readonly current: string
}

// Only sound is sent, and no codec changes sound.
const codec = json<never, Words>()

export function Captions() {
  const stream = useStream('stt', { codec })
  const microphone = useMicrophone({ onFrame: (frame) => stream.send(frame) })
  const lines = useStreamValue(stream, (message, before: Lines = { done: [], current: '' }) => {
    if (message instanceof ArrayBuffer) return before
    const { text, final } = message
    return final ? { done: [...before.done, text].slice(-5), current: '' } : { ...before, current: text }
  })
  return (
    <>
      <button onClick={() => void microphone.start()}>Speak</button>
      <ul>
        {lines?.done.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ul>
      <p>{lines?.current}</p>
    </>
  )
}
