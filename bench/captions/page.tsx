import { createVoiceClient, useStream, VoiceProvider } from '@stagepass/react'
import { Captions } from '@stagepass/registry/captions'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'

/*
 * The page of the hour of captions: captions, and a field beside them. It measures how long a key and a wheel
 * wait until the page that answers them is painted.
 */

const voice = createVoiceClient({ url: '/api/voice' })
const delays: Record<'keydown' | 'wheel', number[]> = { keydown: [], wheel: [] }

function Page(): ReactNode {
  return (
    <>
      <Captions stream={useStream('stt')} />
      <input aria-label="Note" />
    </>
  )
}

createRoot(document.body.appendChild(document.createElement('main'))).render(
  <VoiceProvider client={voice}>
    <Page />
  </VoiceProvider>,
)

for (const type of ['keydown', 'wheel'] as const) {
  const measure = ({ timeStamp }: Event): void => {
    // A task that was posted in a frame runs after its paint.
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.addEventListener('message', () => delays[type].push(performance.now() - timeStamp))
      port1.start()
      port2.postMessage(null)
    })
  }
  addEventListener(type, measure, { passive: true })
}

const hour = {
  delays,
  lines: (): number => document.querySelectorAll('[role=listitem]').length,
  last: (): string => [...document.querySelectorAll('[role=listitem]')].at(-1)?.textContent ?? '',
  /** The middle of the captions, and the field has the focus. */
  ready(): { x: number; y: number } {
    document.querySelector<HTMLInputElement>('[aria-label=Note]')?.focus()
    const { left, top, width, height } = document.querySelector('[role=group]')!.getBoundingClientRect()
    return { x: left + width / 2, y: top + height / 2 }
  },
}

declare global {
  interface Window {
    hour: typeof hour
  }
}
window.hour = hour
