import { VoiceProvider } from '@stagepass/react'
import { createTestVoice, type TestVoice, type TestVoiceOptions } from '@stagepass/react/testing'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { type CSSProperties, type ReactNode, StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

// The site is built for production, and only the story uses its service.
Object.assign(globalThis, { STAGEPASS_EMULATOR_IN_PRODUCTION: '1' })

/** The page and the service of a story. */
interface Stage {
  /** Service, BFF, microphone and loudspeaker of this page. */
  readonly voice: TestVoice
  /** The element that shows the component. */
  readonly element: HTMLElement
}

/** One state of an item, on the emulator in the page. */
export interface Story {
  /** The state in a few words: "Microphone refused". */
  readonly title: string
  /** The state of the service at first. Default: no faults, and `ada` is signed in. */
  readonly voice?: TestVoiceOptions
  /** Language of the page. Default: it stays as it is. */
  readonly lang?: string
  /** The item, as a page would use it. */
  readonly Show: () => ReactNode
  /** Brings the component into the state after the first render. Resolves when it is there. */
  readonly play?: (stage: Stage) => Promise<void>
}

export interface ShownStory extends Stage {
  /** Ends with `play`. */
  readonly played: Promise<void>
  leave(): void
}

/** Shows a story in an element of the page. One at a time: the sound of the page is scripted meanwhile. */
export function showStory({ voice: options, lang, Show, play }: Story, element: HTMLElement): ShownStory {
  const voice = createTestVoice(options)
  const page = document.documentElement
  const langBefore = page.lang
  if (lang !== undefined) page.lang = lang
  const root = createRoot(element)
  const ready = new Promise<void>((resolve) => {
    root.render(
      <StrictMode>
        <QueryClientProvider client={new QueryClient()}>
          <VoiceProvider client={voice.client} user={voice.user}>
            <Show />
            <Ready onReady={resolve} />
          </VoiceProvider>
        </QueryClientProvider>
      </StrictMode>,
    )
  })
  const stage = { voice, element }
  let hasLeft = false
  return {
    ...stage,
    played: ready
      .then(() => play?.(stage))
      .catch((error: unknown) => {
        // The component was removed while it waited.
        if (!hasLeft) throw error
      }),
    leave: () => {
      hasLeft = true
      root.unmount()
      voice.close()
      page.lang = langBefore
    },
  }
}

/** Waits until React has run the effects twice, as it does in development: that ends a press. */
function Ready({ onReady }: { readonly onReady: () => void }): null {
  useEffect(() => {
    const timer = setTimeout(onReady)
    return () => clearTimeout(timer)
  }, [onReady])
  return null
}

/** Only for a story that hangs: ten thousand lines on a busy machine take more than a minute. */
const LIMIT_MS = 240_000

/** Waits until `find` finds something. Stories have no test runner that could do it. */
export async function until<TFound>(find: () => TFound | null | undefined | false): Promise<TFound> {
  const end = performance.now() + LIMIT_MS
  for (;;) {
    const found = find()
    if (found) return found
    if (performance.now() > end) throw new Error(`A story has not come to its state: ${String(find)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Waits for loud sound: the scripted microphone of a story has no voice. */
export const SILENCE = {
  closeAfterMs: 1_000,
  detect: (frame: Int16Array) => frame.some((sample) => Math.abs(sample) > 1_000),
}

/** A button that is the page's, not the item's. */
export const OF_THE_PAGE: CSSProperties = {
  minBlockSize: '2.75rem',
  marginBlock: '1rem',
  paddingInline: '1rem',
  border: '1px solid',
  borderRadius: '0.5rem',
  background: 'Canvas',
  color: 'CanvasText',
  font: 'inherit',
}
