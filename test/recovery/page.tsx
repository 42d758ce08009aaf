import { createVoiceClient, type ReceivedData, useStream, VoiceProvider } from '@stagepass/react'
import { useRecovery } from '@stagepass/react/audio'
import { json } from '@stagepass/react/codecs'
import { type ReactNode, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { FRAME_MS, frameOf } from './frames.js'

/* A page that speaks frames on a stream, and shows what can be recovered. A test kills it at any moment. */

interface Text {
  readonly text: string
  readonly final?: boolean
  readonly start: number
  readonly duration: number
}

const parameters = new URLSearchParams(location.search)
/** A page to which no text is final keeps all that it says. */
const hasFinals = parameters.get('finals') !== 'none'

const finalOf = (data: ReceivedData): Text | undefined => {
  const text = hasFinals && typeof data === 'string' ? (JSON.parse(data) as Text) : undefined
  return text?.final === true ? text : undefined
}
const codec = {
  ...json<never, unknown>(),
  isFinal: (data: ReceivedData) => finalOf(data) !== undefined,
  finalUntilMs(data: ReceivedData) {
    const { start, duration } = finalOf(data) ?? { start: NaN, duration: NaN }
    return (start + duration) * 1_000
  },
}

const user = parameters.get('user')
const events: string[] = []
const voice = createVoiceClient({ url: '/api/voice', onEvent: (event) => events.push(event.type) })
const test = window as unknown as {
  /** The test hears of each frame, and until which ms the texts are final. */
  said: (frame: number, finalMs: number) => unknown
}

let finalMs = 0
let finals = 0
let stream: ReturnType<typeof useStream<never, unknown>>
let recordings: ReturnType<typeof useRecovery>['recordings'] = []

function Page(): ReactNode {
  const current = useStream<never, unknown>('stt', {
    codec,
    enabled: false,
    resend: { persist: true },
    onMessage(message) {
      const final = finalOf(JSON.stringify(message))
      if (!final) return
      finals += 1
      finalMs = (final.start + final.duration) * 1_000
    },
  })
  const found = useRecovery('stt').recordings
  useEffect(() => {
    stream = current
    recordings = found
  })
  return <p>{current.status}</p>
}

let changeUser = (_user: string | null): void => {}

function App(): ReactNode {
  const [current, setCurrent] = useState(user)
  useEffect(() => {
    changeUser = setCurrent
  }, [])
  return (
    <VoiceProvider client={voice} user={current}>
      <Page />
    </VoiceProvider>
  )
}

createRoot(document.body.appendChild(document.createElement('main'))).render(<App />)

const page = {
  /** Says frames until the page ends. */
  record(): void {
    stream.open()
    const from = performance.now()
    let frames = 0
    setInterval(() => {
      for (; frames * FRAME_MS < performance.now() - from; frames += 1) {
        stream.send(frameOf(frames))
        void test.said(frames, finalMs)
      }
    }, FRAME_MS)
  },
  events: () => events,
  recordings: () =>
    recordings.map(({ startedAt, durationMs }) => ({ startedAt: Number(startedAt), durationMs })),
  /** The newest. */
  download: () => recordings.at(-1)?.download(),
  discard: () => Promise.all(recordings.map(({ discard }) => discard())),
  /** Resolves with the number of final texts. */
  send: async () => {
    await recordings[0]?.send()
    return finals
  },
  status: () => stream.status,
  signOut: () => changeUser(null),
  /** The number of rows of each store. */
  async stored(): Promise<Record<string, number>> {
    const opening = indexedDB.open('stagepass')
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const names = [...opening.result.objectStoreNames]
    const counts = await Promise.all(
      names.map(
        (name) =>
          new Promise<[string, number]>((resolve) => {
            const counting = opening.result.transaction(name).objectStore(name).count()
            counting.addEventListener('success', () => resolve([name, counting.result]))
          }),
      ),
    )
    opening.result.close()
    return Object.fromEntries(counts)
  },
  /** What the test could find in the profile if the sound were not encrypted. */
  async storePlain(): Promise<void> {
    const opening = indexedDB.open('plain')
    opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('frames'))
    await new Promise((resolve) => opening.addEventListener('success', resolve))
    const transaction = opening.result.transaction('frames', 'readwrite')
    for (let frame = 0; frame < 5; frame += 1)
      transaction.objectStore('frames').put(frameOf(-1 - frame), frame)
    await new Promise((resolve) => transaction.addEventListener('complete', resolve))
    opening.result.close()
  },
}

export type RecoveryPage = typeof page
Object.assign(window, { page })
