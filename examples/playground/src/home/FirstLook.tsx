import { useStream } from '@stagepass/react'
import { Captions } from '@stagepass/registry/captions'
import { type ReactNode, useEffect, useState } from 'react'
import { speakInto } from '../tabs/speakInto.js'

/** All that the emulator has to say. Then it is quiet, until someone presses the button. */
const SENTENCES = 8

const prefersStillness = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches

/** Sentence after sentence becomes captions. It begins by itself, unless the reader prefers less motion. */
export function FirstLook({ cut }: { readonly cut: () => void }): ReactNode {
  const [isOn, setOn] = useState(() => !prefersStillness())
  const [said, setSaid] = useState(0)
  const stream = useStream('stt', { enabled: false })
  const { status, open, send } = stream
  const isOpen = status === 'open'

  useEffect(() => {
    if (!isOn) return undefined
    open()
    return speakInto({ send }, () => {
      setOn(said + 1 < SENTENCES)
      setSaid((said + 1) % SENTENCES)
    })
  }, [isOn, said, open, send])

  return (
    <>
      <div className="row">
        <h2>
          Live in this page: <strong role="status">{status}</strong>
        </h2>
        <button className="act" onClick={() => setOn(!isOn)}>
          {isOn ? 'Pause' : 'Play'}
        </button>
        <button className="act other" disabled={!isOpen} onClick={cut}>
          Cut the connection
        </button>
      </div>
      <Captions stream={stream} />
      <p className="note">
        Hooks, captions and the server’s code are real, and run in this page. The service is imitated: it
        invents the words, and nothing is heard or recorded.
      </p>
    </>
  )
}
