import { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'
import { voiceTranslation } from '@stagepass/react/codecs'
import type { ReactNode } from 'react'
import { useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'

/*
 * The page that measures itself: a talk of some sentences, as many as the fragment of its address says, with the
 * option `vitals`. At the end it shows what it has measured with a stopwatch of its own.
 */

const FRAME_MS = 20
const SAMPLES = 320
const LOUD = 8_000

const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })
const voice = createVoiceClient({ url: '/api/voice', vitals: {} })
/** The sentence that is spoken, by the clock of the page. */
let heard: { textAt?: number; finalAt?: number } = {}
let status = 'idle'
let open: (() => void) | undefined
let send: ((frame: ArrayBuffer) => unknown) | undefined

function Talk(): ReactNode {
  const stream = useStream('vt', {
    codec,
    enabled: false,
    onMessage: (message) => {
      if (message.type !== 'transcript' && message.type !== 'translate') return
      heard.textAt ??= performance.now()
      if (message.type === 'translate' && message.final) heard.finalAt ??= performance.now()
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

/** Sends frames at the pace of speech, until it is enough. Returns when the first and the last one were sent. */
async function speak(
  level: number,
  isEnough: (ms: number) => boolean,
): Promise<[first: number, last: number]> {
  const startedAt = performance.now()
  let lastAt = startedAt
  for (let sentMs = 0; !isEnough(sentMs); sentMs += FRAME_MS) {
    while (performance.now() - startedAt < sentMs) await passed(4)
    lastAt = performance.now()
    send?.(frameOf(level))
  }
  return [startedAt, lastAt]
}

/** Presses, says so many sentences, each until its final text has come, and reports. */
async function talk(sentences: number): Promise<object> {
  const measured: Record<'firstText' | 'finalText', number[]> = { firstText: [], finalText: [] }
  // The code of the option is loaded.
  await passed(1_000)
  open?.()
  await until(() => status === 'open')
  for (let nth = 0; nth < sentences; nth += 1) {
    await speak(0, (ms) => ms >= 600)
    heard = {}
    const [firstAt, lastAt] = await speak(LOUD, (ms) => ms >= 1_300)
    await speak(0, () => heard.finalAt !== undefined)
    measured.firstText.push(Math.round((heard.textAt ?? NaN) - firstAt))
    measured.finalText.push(Math.round((heard.finalAt ?? NaN) - lastAt))
  }
  window.dispatchEvent(new Event('pagehide'))
  await passed(1_000)
  return measured
}

const measured = await talk(Number(location.hash.slice(1)))
document.body.appendChild(document.createElement('output')).textContent = JSON.stringify(measured)
