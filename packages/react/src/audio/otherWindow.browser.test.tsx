import { openBrowserStack } from '@stagepass/testing/browser'
import { cleanup, render } from '@testing-library/react'
import { createPortal } from 'react-dom'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { usePushToTalk, type UsePushToTalkOptions, useVoiceSession } from './index.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(async () => {
  cleanup()
  vi.restoreAllMocks()
  await commands.input({ type: 'release' })
})

function openFrame(): { view: Window; close: () => void } {
  const frame = document.body.appendChild(document.createElement('iframe'))
  const { contentWindow: view } = frame
  if (!view) throw new Error('Failed to open a frame.')
  return { view, close: () => frame.remove() }
}

function openPopup(): { view: Window; close: () => void } {
  const view = window.open('about:blank', '_blank', 'width=300,height=200')
  if (!view) throw new Error('Failed to open a window.')
  return { view, close: () => view.close() }
}

const WINDOWS = { frame: openFrame, popup: openPopup } as const

/** A page whose button is in another window, and the microphone that a press opens. */
async function openPage(where: keyof typeof WINDOWS, mode?: UsePushToTalkOptions['mode']) {
  const stack = await openBrowserStack()
  const client = createVoiceClient({ url: stack.url })
  const opened = vi.spyOn(navigator.mediaDevices, 'getUserMedia')
  const { view, close } = WINDOWS[where]()
  onTestFinished(close)
  const { body } = view.document
  function Talk() {
    const session = useVoiceSession('stt')
    const talk = usePushToTalk(session, { mode })
    return createPortal(
      <>
        <button {...talk}>{session.status}</button>
        <input />
      </>,
      body,
    )
  }
  render(<Talk />, { wrapper: pageOf(client, undefined, 'ada') })
  const button = view.document.querySelector('button') as HTMLButtonElement
  const { PointerEvent, KeyboardEvent } = view as Window & typeof globalThis
  const pointer = (type: string, target: EventTarget = button): boolean =>
    target.dispatchEvent(
      new PointerEvent(type, { pointerId: 1, bubbles: true, buttons: type === 'pointerdown' ? 1 : 0 }),
    )
  const key = (type: string, code: string, target: EventTarget = button): boolean =>
    target.dispatchEvent(new KeyboardEvent(type, { key: ' ', code, bubbles: true, cancelable: true }))
  return {
    view,
    button,
    close,
    pointer,
    key,
    becomesActive: () => vi.waitFor(() => expect(button.textContent).toBe('active')),
    tracks: async () => {
      const streams = (await Promise.all(opened.mock.results.map(({ value }) => value))) as MediaStream[]
      return streams.flatMap((stream) => stream.getTracks()).map(({ readyState }) => readyState)
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

type Page = Awaited<ReturnType<typeof openPage>>

const ENDS: readonly (readonly [string, (page: Page) => void])[] = [
  ['its release', ({ pointer }) => void pointer('pointerup')],
  ['a release off the button', ({ pointer, view }) => void pointer('pointerup', view.document.body)],
  ['a release that was lost', ({ pointer, view }) => void pointer('pointermove', view.document.body)],
  // Firefox may give a window that is not in front no focus.
  ['the loss of the focus', ({ button }) => void button.dispatchEvent(new FocusEvent('blur'))],
  ['the window that loses the focus', ({ view }) => void view.dispatchEvent(new Event('blur'))],
  ['the window that is closed', ({ close }) => close()],
  ['document.open() in its page', ({ view }) => void view.document.open()],
  ['the page that is left', () => void window.dispatchEvent(new PageTransitionEvent('pagehide'))],
]

for (const where of Object.keys(WINDOWS) as (keyof typeof WINDOWS)[]) {
  it.each(ENDS)(`S57 a press of the pointer in a ${where} is ended by %s`, async (_, end) => {
    await using page = await openPage(where)
    page.pointer('pointerdown')
    await page.becomesActive()
    // The focus goes into the other window.
    window.dispatchEvent(new Event('blur'))
    expect(await page.tracks()).toEqual(['live'])
    end(page)
    await vi.waitFor(async () => expect(await page.tracks()).toEqual(['ended']))
  })

  it(`S57 a press of a key in a ${where} is ended by its release`, async () => {
    await using page = await openPage(where)
    page.key('keydown', 'Space')
    await page.becomesActive()
    page.key('keyup', 'Space', page.view.document.body)
    await vi.waitFor(async () => expect(await page.tracks()).toEqual(['ended']))
  })

  it(`S57 a toggled microphone in a ${where} is closed with the window`, async () => {
    await using page = await openPage(where, 'toggle')
    page.button.click()
    await page.becomesActive()
    page.close()
    await vi.waitFor(async () => expect(await page.tracks()).toEqual(['ended']))
  })
}

it('S57 a user holds a button in a frame, and releases it', async () => {
  await using page = await openPage('frame')
  const outer = window.frameElement as HTMLElement
  const scale = outer.getBoundingClientRect().width / outer.offsetWidth
  const inner = (page.view.frameElement as HTMLElement).getBoundingClientRect()
  const { left, top, width, height } = page.button.getBoundingClientRect()
  const { x, y } = outer.getBoundingClientRect()
  await commands.input({
    type: 'move',
    x: x + (inner.left + left + width / 2) * scale,
    y: y + (inner.top + top + height / 2) * scale,
  })
  await commands.input({ type: 'press' })
  await page.becomesActive()
  expect(await page.tracks()).toEqual(['live'])
  await commands.input({ type: 'release' })
  await vi.waitFor(async () => expect(await page.tracks()).toEqual(['ended']))
})
