import { createVoiceClient, tokenSource, useStream, useStreamValue, VoiceProvider } from '@stagepass/react'
import type { Codec, UseStreamOptions } from '@stagepass/react'
import type { ReactNode } from 'react'
import { startTransition, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

/*
 * The measured page. It reads the same stream by a plain WebSocket with a callback, and by useStream. The
 * runner calls `window.bench`.
 */

const BFF = '/api/voice'
type Options = UseStreamOptions<string, unknown>

/** The report of each way. The same few lines for all, so that they cost the same. */
const seen = { count: 0, first: 0, last: 0, renders: 0 }

/** Reads the message, as every application does: a browser does not decode a message that is never read. */
function onData(_data: unknown): void {
  seen.count += 1
  seen.last = performance.now()
  if (seen.count === 1) seen.first = seen.last
}

function countRender(): void {
  seen.renders += 1
}

const events: { type: string }[] = []
const voice = createVoiceClient({
  url: BFF,
  onEvent: (event) => events.push(event),
  vitals: location.search === '?vitals' ? {} : undefined,
})
const root = createRoot(document.body.appendChild(document.createElement('main')))
let status = 'idle'

function Callback({ options }: { options?: Options }): ReactNode {
  countRender()
  const stream = useStream('stt', { onMessage: onData, ...options })
  useEffect(() => {
    status = stream.status
    send = stream.send
  })
  return <p>{stream.status}</p>
}

function Shown(): ReactNode {
  const stream = useStream<string, string>('stt')
  const length = useStreamValue(stream, (message, total: number = 0) => total + message.length)
  useEffect(() => {
    status = stream.status
  })
  return <p>{length}</p>
}

/** A part of a slow subtree. It renders for a millisecond. */
function Slow(): ReactNode {
  const until = performance.now() + 1
  while (performance.now() < until);
  return null
}

let begin: (() => void) | undefined
let ended: ((at: number) => void) | undefined

function Elsewhere(): ReactNode {
  const [round, setRound] = useState(0)
  useEffect(() => {
    begin = () => startTransition(() => setRound((before) => before + 1))
    if (round > 0) ended?.(performance.now())
  }, [round])
  return (
    <section>
      {round > 0 && Array.from({ length: 200 }, (_, index) => <Slow key={`${round} ${index}`} />)}
    </section>
  )
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 3))
}

/** Shows a reader of the stream, and waits until it is open. */
async function show(reader: ReactNode): Promise<void> {
  status = 'idle'
  root.render(
    <VoiceProvider client={voice}>
      {reader}
      <Elsewhere />
    </VoiceProvider>,
  )
  await until(() => status === 'open')
}

async function openRaw(): Promise<void> {
  const answer = await fetch(`${BFF}/session-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  const { session_key, stream_url } = (await answer.json()) as { session_key: string; stream_url: string }
  const raw = new WebSocket(`${stream_url}?authorization=${encodeURIComponent(`api-key ${session_key}`)}`)
  raw.addEventListener('message', ({ data }) => onData(data))
  await new Promise((resolve) => raw.addEventListener('open', resolve))
}

const numbers: number[] = []

let lastText: string | undefined
let lastParsed = { final: false }

/** Parses a message once, as our codecs do. */
function parse(text: string): { readonly final: boolean } {
  if (text !== lastText) lastParsed = JSON.parse(text) as typeof lastParsed
  lastText = text
  return lastParsed
}

const TEXTS: Codec<string, unknown> = {
  encode: String,
  decode: (data) => [typeof data === 'string' ? parse(data) : data],
  isFinal: (data) => (typeof data === 'string' ? parse(data).final : undefined),
}

/** A frame of loud sound. */
const FRAME = Int16Array.from({ length: 320 }, (_, index) => 8_000 * Math.sin(index / 12))
let send: ((data: ArrayBuffer) => unknown) | undefined

const bench = {
  events,
  seen: () => seen,
  reset: () => void Object.assign(seen, { count: 0, first: 0, last: 0, renders: 0 }),
  raw: openRaw,
  callback: () => show(<Callback />),
  /** A stream whose codec knows texts. */
  texts: () => show(<Callback options={{ codec: TEXTS }} />),
  /** Speaks on it from now on, a second in two, as with a microphone. */
  speak(): void {
    let nth = 0
    setInterval(() => {
      nth += 1
      send?.(nth % 100 < 50 ? FRAME.slice().buffer : new ArrayBuffer(640))
    }, 20)
  },
  shown: () => show(<Shown />),
  /** One stream with other options, as short waits between attempts, so that it can be cut many times. */
  hold: (options: Options) => show(<Callback options={options} />),
  /** One stream that rolls over at each call of `renew`. It keeps the numbers that arrive. */
  collect: (options: Options) =>
    bench.hold({ ...options, onMessage: (message) => void numbers.push(Number(message)) }),
  renew: async () => void (await tokenSource(voice, 'stt').renew()),
  collected: () => ({ numbers, events: events.map(({ type }) => type) }),

  /** Milliseconds from the start of a transition of about 200 ms of rendering to its commit. */
  async transition(): Promise<number> {
    const startedAt = performance.now()
    const at = await new Promise<number>((resolve) => {
      ended = resolve
      begin?.()
    })
    return at - startedAt
  },

  /** Mounts a new stream, waits until it is open, and unmounts it. Repeats this `times` times. */
  async mounts(times: number, from: number): Promise<void> {
    for (let index = 0; index < times; index += 1) {
      const key = `mount ${from + index}`
      await show(<Callback key={key} options={{ key }} />)
      root.render(<VoiceProvider client={voice}>{null}</VoiceProvider>)
    }
    // The last stream stays for a short time.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    events.length = 0
  },
}

Object.assign(window, { bench })
