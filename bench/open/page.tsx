import { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'
import type { ReactNode } from 'react'
import { useLayoutEffect } from 'react'
import { createRoot } from 'react-dom/client'

/*
 * The page that measures the time to open: a button that opens a stream, by hand and with the hooks. It
 * imports nothing else, so that it loads the same code as an application with one stream.
 */

const BFF = '/api/voice'
const voice = createVoiceClient({ url: BFF })
const root = createRoot(document.body.appendChild(document.createElement('main')))
let open: (() => void) | undefined
let opened: ((at: number) => void) | undefined

function Button({ warm }: { warm: boolean }): ReactNode {
  const stream = useStream('stt', { enabled: false, warm })
  // An effect after the paint would count the paint too, which the way by hand does not have.
  useLayoutEffect(() => {
    open = stream.open
    if (stream.status === 'open') opened?.(performance.now())
  }, [stream])
  return <button>{stream.status}</button>
}

const render = (warm: boolean): void =>
  root.render(
    <VoiceProvider client={voice}>
      <Button warm={warm} />
    </VoiceProvider>,
  )

/** Milliseconds from the press to the commit that shows the stream as open. */
async function until(press: () => void): Promise<number> {
  const at = new Promise<number>((resolve) => (opened = resolve))
  const pressedAt = performance.now()
  press()
  return (await at) - pressedAt
}

const bench = {
  /** The code that a developer writes in two minutes. */
  async byHand(): Promise<number> {
    const pressedAt = performance.now()
    const response = await fetch(`${BFF}/session-token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-stagepass': '1' },
      body: JSON.stringify({ usage_type: 'stt' }),
    })
    const { session_key, stream_url } = (await response.json()) as { session_key: string; stream_url: string }
    const socket = new WebSocket(
      `${stream_url}?authorization=${encodeURIComponent(`api-key ${session_key}`)}`,
    )
    await new Promise((resolve) => socket.addEventListener('open', resolve))
    return performance.now() - pressedAt
  },
  /** Shows the button. `warm`: with a token that is kept ready. */
  mount: render,
  press: () => until(() => open?.()),
}

Object.assign(window, { bench })
