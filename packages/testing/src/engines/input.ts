import type { CDPSession, Page } from 'playwright'
import type { WebKit } from './startWebKit.js'

/**
 * An action of a user. Positions are relative to the top window. Keys have the names of `KeyboardEvent.key`.
 */
export type InputStep =
  | { readonly type: 'move'; readonly x: number; readonly y: number }
  | { readonly type: 'press' | 'release'; readonly button?: 'left' | 'right' }
  | { readonly type: 'keyDown' | 'keyUp'; readonly key: string }
  /** A finger touches a point or moves to it. Only in Chromium. */
  | { readonly type: 'touchStart' | 'touchMove'; readonly x: number; readonly y: number }
  | { readonly type: 'touchEnd' | 'touchCancel' }

const fingers = new WeakMap<Page, Promise<CDPSession>>()

export async function playwrightInput(page: Page, step: InputStep): Promise<void> {
  switch (step.type) {
    case 'move':
      return page.mouse.move(step.x, step.y)
    case 'press':
      return page.mouse.down({ button: step.button ?? 'left' })
    case 'release':
      return page.mouse.up({ button: step.button ?? 'left' })
    case 'keyDown':
      return page.keyboard.down(step.key)
    case 'keyUp':
      return page.keyboard.up(step.key)
    default: {
      const { type } = step
      const touchPoints = 'x' in step ? [{ x: step.x, y: step.y }] : []
      // A finger must move and end on the same connection on which it started.
      const chromium = fingers.get(page) ?? page.context().newCDPSession(page)
      fingers.set(page, chromium)
      await (await chromium).send('Input.dispatchTouchEvent', { type, touchPoints })
    }
  }
}

/** WebDriver's names of keys that do not write a character. */
const KEYS: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Escape: '\uE00C',
  ArrowUp: '\uE013',
  ArrowDown: '\uE015',
  Meta: '\uE03D',
}

export async function webKitInput(send: WebKit['send'], step: InputStep): Promise<void> {
  await send('POST', '/actions', { actions: [sourceOf(step)] })
}

function sourceOf(step: InputStep): object {
  const mouse = (action: object): object => ({ type: 'pointer', id: 'mouse', actions: [action] })
  switch (step.type) {
    case 'move':
      return mouse({ type: 'pointerMove', x: step.x, y: step.y, duration: 0 })
    case 'press':
    case 'release':
      // The driver never releases this button. Pages would then get no more `pointerdown`.
      if (step.button === 'right')
        throw new Error('Failed to press: this driver cannot release the right button.')
      return mouse({ type: step.type === 'press' ? 'pointerDown' : 'pointerUp', button: 0 })
    case 'keyDown':
    case 'keyUp':
      return {
        type: 'key',
        id: 'keyboard',
        actions: [{ type: step.type, value: KEYS[step.key] ?? step.key }],
      }
    default:
      throw new Error('Failed to touch: this driver supports only a mouse.')
  }
}
