import { createVoiceClient, tokenSource, useStream, useStreamValue, VoiceProvider } from '@stagepass/react'
import type { UseStreamOptions } from '@stagepass/react'
import type { ReactNode } from 'react'
import { startTransition, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { ReadyState } from 'react-use-websocket/dist/lib/constants.js'
import { useWebSocket } from 'react-use-websocket/dist/lib/use-websocket.js'

/*
 * The measured page. It reads the same stream in three ways: a plain WebSocket with a callback,
 * react-use-websocket as in its README, and useStream. The runner calls `window.bench`.
 */

const BFF = '/api/voice'

/** The report of each way. The same few lines for all, so that they cost the same. */
const seen = { count: 0, first: 0, last: 0, renders: 0, longTasks: 0 }

function countRender(): void {
  seen.renders += 1
}

/** Reads the message, as every application does: a browser does not decode a message that is never read. */
function onData(_data: unknown): void {
  seen.count += 1
  seen.last = performance.now()
  if (seen.count === 1) seen.first = seen.last
}

new PerformanceObserver((list) => (seen.longTasks += list.getEntries().length)).observe({ type: 'longtask' })

async function freshUrl(): Promise<string> {
  const answer = await fetch(`${BFF}/session-token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
    body: JSON.stringify({ usage_type: 'stt' }),
  })
  const { session_key, stream_url } = (await answer.json()) as { session_key: string; stream_url: string }
  return `${stream_url}?authorization=${encodeURIComponent(`api-key ${session_key}`)}`
}

const events: { type: string; code?: string | undefined }[] = []
const voice = createVoiceClient({ url: BFF, onEvent: (event) => events.push(event) })
const root = createRoot(document.body.appendChild(document.createElement('main')))
let status = 'idle'

function Callback({ options }: { options?: UseStreamOptions<string, string | ArrayBuffer> }): ReactNode {
  countRender()
  const stream = useStream('stt', { onMessage: onData, ...options })
  useEffect(() => {
    status = stream.status
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

function Naive({ url }: { url: string }): ReactNode {
  countRender()
  const { lastMessage, readyState } = useWebSocket(url)
  useEffect(() => {
    if (lastMessage) onData(lastMessage.data)
  }, [lastMessage])
  useEffect(() => {
    status = readyState === ReadyState.OPEN ? 'open' : 'connecting'
  }, [readyState])
  return <p>{String(lastMessage?.data).length}</p>
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

let raw: WebSocket | undefined

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 3))
}

const bench = {
  events,
  seen: () => ({ ...seen, status }),
  /** Resets all counters, also of renders. */
  reset: () => void Object.assign(seen, { count: 0, first: 0, last: 0, renders: 0, longTasks: 0 }),

  async open(mode: 'raw' | 'naive' | 'callback' | 'shown' | 'nothing'): Promise<void> {
    status = 'idle'
    if (mode === 'raw') {
      raw = new WebSocket(await freshUrl())
      raw.addEventListener('message', ({ data }) => onData(data))
      raw.addEventListener('open', () => (status = 'open'))
    } else {
      const reader = {
        naive: <Naive url={mode === 'naive' ? await freshUrl() : ''} />,
        callback: <Callback />,
        shown: <Shown />,
        nothing: null,
      }[mode]
      root.render(
        <VoiceProvider client={voice}>
          {reader}
          <Elsewhere />
        </VoiceProvider>,
      )
    }
    if (mode !== 'nothing') await until(() => status === 'open')
  },

  /** Milliseconds from the start of a transition of about 200 ms of rendering to its commit. */
  async transition(): Promise<number> {
    await until(() => begin !== undefined)
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
      status = 'idle'
      const options = { key: `mount ${from + index}` }
      root.render(
        <VoiceProvider client={voice}>
          <Callback key={options.key} options={options} />
        </VoiceProvider>,
      )
      await until(() => status === 'open')
      root.render(<VoiceProvider client={voice}>{null}</VoiceProvider>)
    }
    // The last stream stays for a short time.
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    events.length = 0
  },

  /** One stream with short waits between attempts, so that it can be cut many times. */
  async hold(options: UseStreamOptions<string, string | ArrayBuffer>): Promise<void> {
    status = 'idle'
    root.render(
      <VoiceProvider client={voice}>
        <Callback options={options} />
      </VoiceProvider>,
    )
    await until(() => status === 'open')
  },

  /** Numbers of the messages that arrive on a stream that rolls over at each call of `renew`. */
  collect(): { numbers: number[]; generations: Set<number> } {
    return collected
  },
  async collecting(options: UseStreamOptions<string, string | ArrayBuffer>): Promise<void> {
    await bench.hold({
      ...options,
      onMessage: (message, { generation }) => {
        collected.numbers.push(Number(message))
        collected.generations.add(generation)
      },
    })
  },
  renew: () => tokenSource(voice, 'stt').renew(),
}

const collected = { numbers: [] as number[], generations: new Set<number>() }

declare global {
  interface Window {
    bench: typeof bench
  }
}
window.bench = bench
