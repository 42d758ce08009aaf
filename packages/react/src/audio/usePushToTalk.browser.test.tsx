import { openBrowserStack } from '@stagepass/testing/browser'
import { act, cleanup, render } from '@testing-library/react'
import { StrictMode, useEffect } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import {
  usePushToTalk,
  type UsePushToTalkOptions,
  useVoiceSession,
  type UseVoiceSessionResult,
} from './index.js'
import { pointOf } from './pointOf.test.kit.js'

afterEach(async () => {
  cleanup()
  vi.restoreAllMocks()
  // No key and no button stays pressed for the next test.
  await commands.input({ type: 'release' })
  for (const key of [' ', 'Enter']) await commands.input({ type: 'keyUp', key })
})

interface PageProps {
  readonly mode?: UsePushToTalkOptions['mode']
  readonly user?: string | null
  /** False: without the button, but still with the session. */
  readonly hasButton?: boolean
  readonly disabled?: boolean | undefined
}

async function openPage(initial: PageProps = {}) {
  const stack = await openBrowserStack()
  const client = createVoiceClient({ url: stack.url })
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  let session: UseVoiceSessionResult<unknown, unknown> | undefined
  const starts = vi.fn()
  function Talk({ mode, hasButton = true, disabled }: PageProps) {
    const current = useVoiceSession('stt')
    useEffect(() => {
      session = current as typeof session
    })
    const start = (): void => {
      starts()
      current.start()
    }
    const talk = usePushToTalk({ ...current, start }, { mode })
    return (
      <form onSubmit={(event) => event.preventDefault()}>
        {hasButton && (
          <button {...talk} disabled={disabled ?? talk.disabled}>
            {current.status}
          </button>
        )}
        <p>elsewhere</p>
      </form>
    )
  }
  let props = initial
  const tree = () => (
    <StrictMode>
      <VoiceProvider client={client} user={props.user ?? (props.user === null ? null : 'ada')}>
        <Talk {...props} />
      </VoiceProvider>
    </StrictMode>
  )
  const page = render(tree())
  const button = page.getByRole('button')
  const elsewhere = pointOf(page.getByText('elsewhere'))
  const isPressed = (): boolean => button.getAttribute('aria-pressed') === 'true'
  return {
    page,
    button,
    elsewhere,
    starts,
    isPressed,
    now: () => session as NonNullable<typeof session>,
    show: (next: PageProps) => {
      props = { ...props, ...next }
      page.rerender(tree())
    },
    pressMouse: async () => {
      await commands.input({ type: 'move', ...pointOf(button) })
      await commands.input({ type: 'press' })
    },
    pressKey: async (key: string) => {
      button.focus()
      await commands.input({ type: 'keyDown', key })
    },
    becomesActive: async () => {
      await vi.waitFor(() => expect(session?.status).toBe('active'))
      expect(isPressed()).toBe(true)
    },
    tracks: async () => {
      const streams = (await Promise.all(opened.mock.results.map(({ value }) => value))) as MediaStream[]
      return streams.flatMap((stream) => stream.getTracks()).map(({ readyState }) => readyState)
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

type Page = Awaited<ReturnType<typeof openPage>>

/** Simulates a change to another tab, because no driver can do that for a page without a window. */
function hide(): () => void {
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
  return () => hidden.mockRestore()
}

/** Dispatches an event that no driver can cause. The id of the mouse is 0 in Firefox, 1 in the others. */
function dispatchPointer(button: Element, type: string, more: PointerEventInit = {}): void {
  for (const pointerId of [0, 1]) {
    button.dispatchEvent(new PointerEvent(type, { pointerId, bubbles: true, ...more }))
  }
}

const MOUSE_ENDS: readonly (readonly [string, (page: Page) => void | Promise<void>])[] = [
  ['its release', () => commands.input({ type: 'release' })],
  [
    'a release off the button',
    async ({ elsewhere }) => {
      await commands.input({ type: 'move', ...elsewhere })
      await commands.input({ type: 'release' })
    },
  ],
  [
    'a release outside of the frame',
    async () => {
      await commands.input({ type: 'move', x: 1, y: 1 })
      await commands.input({ type: 'release' })
    },
  ],
  [
    'a release while another button of the mouse is down',
    ({ button }) => dispatchPointer(button, 'pointermove', { buttons: 2 }),
  ],
  ['a gesture that takes the pointer', ({ button }) => dispatchPointer(button, 'pointercancel')],
  ['the loss of the focus', ({ button }) => (button.focus(), button.blur())],
  ['a window that loses the focus', () => void window.dispatchEvent(new Event('blur'))],
  ['a hidden page', () => void hide()],
  ['a page that is left', () => void window.dispatchEvent(new PageTransitionEvent('pagehide'))],
  ['an unmount', ({ page }) => page.unmount()],
  [
    'a release after the button was removed',
    async ({ show }) => {
      show({ hasButton: false })
      await commands.input({ type: 'release' })
    },
  ],
  [
    'a release after the button was disabled',
    async ({ show, elsewhere }) => {
      show({ disabled: true })
      await commands.input({ type: 'release' })
      await commands.input({ type: 'move', ...elsewhere })
    },
  ],
]

it.each(MOUSE_ENDS)('S57 the microphone that a press of the mouse opened is closed by %s', async (_, end) => {
  await using talk = await openPage()
  expect(talk.isPressed()).toBe(false)
  await talk.pressMouse()
  await talk.becomesActive()
  expect(await talk.tracks()).toEqual(['live'])
  await end(talk)
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended']))
  expect(talk.starts).toHaveBeenCalledTimes(1)
})

const KEY_ENDS: readonly (readonly [string, string, (page: Page) => void | Promise<void>])[] = [
  [' ', 'its release', () => commands.input({ type: 'keyUp', key: ' ' })],
  ['Enter', 'its release', () => commands.input({ type: 'keyUp', key: 'Enter' })],
  [' ', 'the loss of the focus', ({ button }) => button.blur()],
  [
    ' ',
    'Command, under which macOS tells no release',
    ({ button }) => void button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Meta', bubbles: true })),
  ],
  ['Enter', 'a hidden page', () => void hide()],
  ['Enter', 'an unmount', ({ page }) => page.unmount()],
]

it.each(KEY_ENDS)('S57 the microphone that the key "%s" opened is closed by %s', async (key, _, end) => {
  await using talk = await openPage()
  await talk.pressKey(key)
  await talk.becomesActive()
  // The system repeats a key that is held down.
  await commands.input({ type: 'keyDown', key })
  await commands.input({ type: 'keyDown', key })
  expect(await talk.tracks()).toEqual(['live'])
  await end(talk)
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended']))
  expect(talk.starts).toHaveBeenCalledTimes(1)
})

it('S57 the microphone that a finger opened is closed when the finger leaves the button or is cancelled', async () => {
  await using talk = await openPage()
  const point = pointOf(talk.button)
  await commands.input({ type: 'touchStart', ...point })
  await talk.becomesActive()
  await commands.input({ type: 'touchMove', x: point.x, y: point.y + 200 })
  expect(await talk.tracks()).toEqual(['live'])
  await commands.input({ type: 'touchEnd' })
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended']))

  await commands.input({ type: 'touchStart', ...point })
  await talk.becomesActive()
  await commands.input({ type: 'touchCancel' })
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended', 'ended']))
})

it('S57 a press that ends while the microphone is starting leaves it off', async () => {
  await using talk = await openPage()
  const opened = await navigator.mediaDevices.getUserMedia({ audio: true })
  let allow = (): void => {}
  const allowed = new Promise<MediaStream>((resolve) => (allow = () => resolve(opened)))
  const asked = vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockReturnValue(allowed)
  asked.mockClear()
  await talk.pressMouse()
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  expect(talk.isPressed()).toBe(true)
  await commands.input({ type: 'release' })
  await vi.waitFor(() => expect(talk.now().status).toBe('idle'))
  allow()
  await vi.waitFor(() => expect(opened.getTracks()[0]!.readyState).toBe('ended'))
  expect([talk.now().status, talk.now().microphone.status]).toEqual(['idle', 'idle'])
})

it('S57 a toggled microphone is closed by the next press, a hidden page and an unmount', async () => {
  await using talk = await openPage({ mode: 'toggle' })
  const click = async (): Promise<void> => {
    await talk.pressMouse()
    await commands.input({ type: 'release' })
  }
  await click()
  await talk.becomesActive()
  // The user uses another part of the page.
  talk.button.blur()
  await commands.input({ type: 'move', ...talk.elsewhere })
  expect(await talk.tracks()).toEqual(['live'])
  await click()
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended']))
  await vi.waitFor(() => expect(talk.isPressed()).toBe(false))

  await talk.pressKey('Enter')
  await commands.input({ type: 'keyDown', key: 'Enter' })
  await commands.input({ type: 'keyDown', key: 'Enter' })
  await commands.input({ type: 'keyUp', key: 'Enter' })
  await talk.becomesActive()
  const showAgain = hide()
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended', 'ended']))
  showAgain()

  await talk.pressKey(' ')
  await commands.input({ type: 'keyUp', key: ' ' })
  await talk.becomesActive()
  talk.page.unmount()
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended', 'ended', 'ended']))
  expect(talk.starts).toHaveBeenCalledTimes(3)
})

it.each(['hold', 'toggle'] as const)('S57 a press in the mode %s ends with the mode', async (mode) => {
  await using talk = await openPage({ mode })
  await talk.pressKey('Enter')
  if (mode === 'toggle') await commands.input({ type: 'keyUp', key: 'Enter' })
  await talk.becomesActive()
  talk.show({ mode: mode === 'hold' ? 'toggle' : 'hold' })
  await vi.waitFor(async () => expect(await talk.tracks()).toEqual(['ended']))
  await vi.waitFor(() => expect(talk.now().status).toBe('idle'))
})

it('keeps the error of the microphone after the release, and has no open connection', async () => {
  await using talk = await openPage()
  const refused = vi
    .spyOn(navigator.mediaDevices, 'getUserMedia')
    .mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  await talk.pressMouse()
  await vi.waitFor(() => expect(talk.now().status).toBe('failed'))
  expect(talk.isPressed()).toBe(false)
  await commands.input({ type: 'release' })
  await vi.waitFor(() => expect(talk.now().stream.status).toBe('closed'))
  expect(talk.now().error).toMatchObject({ code: 'PERMISSION_DENIED' })

  refused.mockRestore()
  await talk.pressMouse()
  await talk.becomesActive()
  await commands.input({ type: 'release' })
  await vi.waitFor(() => expect(talk.now().status).toBe('idle'))
})

it('ignores the right button of the mouse', async () => {
  await using talk = await openPage()
  await commands.input({ type: 'move', ...pointOf(talk.button) })
  await commands.input({ type: 'press', button: 'right' })
  await commands.input({ type: 'release', button: 'right' })
  expect(talk.starts).not.toHaveBeenCalled()
})

it('ignores other keys, and every press while it is disabled or nobody is signed in', async () => {
  await using talk = await openPage()
  await talk.pressKey('a')
  await commands.input({ type: 'keyUp', key: 'a' })
  await talk.pressKey('Meta')
  await commands.input({ type: 'keyDown', key: 'Enter' })
  await commands.input({ type: 'keyUp', key: 'Enter' })
  await commands.input({ type: 'keyUp', key: 'Meta' })
  expect(talk.starts).not.toHaveBeenCalled()

  // A disabled button still gets pointer events.
  for (const disabling of [{ disabled: true }, { disabled: undefined, user: null }]) {
    act(() => talk.show(disabling))
    expect((talk.button as HTMLButtonElement).disabled).toBe(true)
    await talk.pressMouse()
    await commands.input({ type: 'release' })
  }
  expect(talk.starts).not.toHaveBeenCalled()
})
