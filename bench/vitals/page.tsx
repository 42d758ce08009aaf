import { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'
import { voiceTranslation } from '@stagepass/react/codecs'
import type { ReactNode } from 'react'
import { useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'

/* The page that measures itself: a talk of some sentences, with the option `vitals`. */

const FRAME_MS = 20
const SAMPLES = 320
const LOUD = 8_000

const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })
const voice = createVoiceClient({ url: '/api/voice', vitals: {} })
let finals = 0
let status = 'idle'
let open: (() => void) | undefined
let send: ((frame: ArrayBuffer) => unknown) | undefined

function Talk(): ReactNode {
  const stream = useStream('vt', {
    codec,
    enabled: false,
    onMessage: (message) => {
      if (message.type === 'translate' && message.final) finals += 1
    },
  })
  useLayoutEffect(() => {
    open = stream.open
    send = stream.send
    status = stream.status
  }, [stream])
  return <p>{stream.status}</p>
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <VoiceProvider client={voice}>
    <Talk />
  </VoiceProvider>,
)

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await passed(5)
}

function frameOf(level: number): ArrayBuffer {
  const pcm = Int16Array.from({ length: SAMPLES }, (_, index) => level * Math.sin(index / 12))
  return pcm.buffer
}

/** Sends frames at the pace of speech, until it is enough. */
async function speak(level: number, isEnough: (ms: number) => boolean): Promise<void> {
  const startedAt = performance.now()
  for (let sentMs = 0; !isEnough(sentMs); sentMs += FRAME_MS) {
    while (performance.now() - startedAt < sentMs) await passed(4)
    send?.(frameOf(level))
  }
}

const bench = {
  /** Presses, says so many sentences, each until its final text has come, and reports. */
  async talk(sentences: number): Promise<void> {
    // The code of the option is loaded.
    await passed(1_000)
    open?.()
    await until(() => status === 'open')
    for (let nth = 0; nth < sentences; nth += 1) {
      await speak(0, (ms) => ms >= 600)
      await speak(LOUD, (ms) => ms >= 1_300)
      const before = finals
      await speak(0, () => finals > before)
    }
    window.dispatchEvent(new Event('pagehide'))
    await passed(1_000)
  },
}

Object.assign(window, { bench })
