import { afterEach, beforeEach } from 'vitest'
import { commands } from 'vitest/browser'
import { press } from './stage'

/* The mouse and the keys of a user: the driver of the browser moves them, not a script of the page. */

const held = new Set<string>()
let isDown = false

/** The events that the page received in this test, a line each. */
const received: string[] = []
const EVENTS = 'pointermove pointerdown pointerup pointercancel lostpointercapture keydown keyup focus blur'
for (const type of EVENTS.split(' ')) {
  window.addEventListener(
    type,
    (event) => {
      const { buttons } = event as PointerEvent
      const { key } = event as KeyboardEvent
      const where = event.target instanceof Element ? event.target.tagName : 'window'
      received.push(`${Math.round(performance.now())} ms: ${type} ${key ?? buttons ?? ''} at ${where}`)
    },
    true,
  )
}

beforeEach(({ onTestFailed }) => {
  received.length = 0
  // eslint-disable-next-line no-console -- the report of a failed test
  onTestFailed(() => console.log(`The page received:\n${received.join('\n')}`))
})

afterEach(async () => {
  // Nothing stays down for the next test.
  for (const key of held) await keyUp(key)
  if (isDown) await mouseUp()
})

/** Moves the mouse to the middle of an element. Tests run in a frame, which may be scaled. */
export async function pointAt(element: Element): Promise<void> {
  const frame = window.frameElement as HTMLElement
  const outer = frame.getBoundingClientRect()
  const scale = outer.width / frame.offsetWidth
  const { left, top, width, height } = element.getBoundingClientRect()
  await commands.input({
    type: 'move',
    x: outer.left + (left + width / 2) * scale,
    y: outer.top + (top + height / 2) * scale,
  })
}

export async function mouseDown(): Promise<void> {
  isDown = true
  await commands.input({ type: 'press' })
}

export async function mouseUp(): Promise<void> {
  isDown = false
  await commands.input({ type: 'release' })
}

export async function click(element: Element): Promise<void> {
  await pointAt(element)
  await mouseDown()
  await mouseUp()
}

/** The key has the name that `KeyboardEvent.key` gives it. */
export async function keyDown(key: string): Promise<void> {
  held.add(key)
  await commands.input({ type: 'keyDown', key })
}

export async function keyUp(key: string): Promise<void> {
  held.delete(key)
  await commands.input({ type: 'keyUp', key })
}

/** Moves the focus by the keyboard, which shows where it is, to the first thing that takes it. */
export async function tabInto(element: HTMLElement): Promise<void> {
  element.tabIndex = -1
  element.focus()
  await press('Tab')
}

/** The button with these words. Throws if there is none. */
export function button(element: HTMLElement, words: string): HTMLButtonElement {
  const found = [...element.querySelectorAll('button')].find(({ textContent }) => textContent === words)
  if (!found) throw new Error(`Failed to find a button “${words}” in: ${element.textContent}`)
  return found
}
