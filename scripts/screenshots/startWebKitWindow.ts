import { writeFileSync } from 'node:fs'
import {
  startWebKitWithDevices,
  type WebKitWithDevices,
} from '../../packages/testing/src/engines/startWebKitWithDevices.js'
import type { DemoWindow, Photographer, WindowSize } from './DemoWindow.js'

/*
 * WebKitGTK, by plain WebDriver. The page is in an `iframe`, because its window cannot be as narrow as a phone; a picture is one of the
 * `iframe`.
 */

/** With which WebDriver marks an element in JSON. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
type Element = Readonly<Record<typeof ELEMENT, string>>

const TAB = '\uE004'
const WINDOW_WIDTH = 1_500
const LIMIT_MS = 30_000

/** In the page: the first button or radio button of this name. */
const FIND_BY_NAME = `
  const [name, within] = arguments
  const nameOf = (one) => one.getAttribute('aria-label') ?? (one.closest('label') ?? one).textContent.trim()
  const all = document.querySelectorAll(':is(' + within + ') :is(button, [type=radio])')
  return [...all].find((one) => nameOf(one) === name) ?? null`

/** In the page: the first such element, with this text in it. */
const FIND = `
  const [selector, text] = arguments
  return [...document.querySelectorAll(selector)].find((one) => one.textContent.includes(text)) ?? null`

const REPLACE_PAGE = `
  const frame = document.createElement('iframe')
  frame.src = arguments[0]
  frame.style = 'position: absolute; inset: 0; border: 0; width: ' + arguments[1] + 'px'
  document.body.replaceChildren(frame)
  return frame`

const ADD_STYLE = `document.head.append(Object.assign(document.createElement('style'), { textContent: arguments[0] }))`

/** Two frames later, because a picture shows what was painted last. */
const TO_THE_TOP = `
  const [done] = arguments
  scrollTo(0, 0)
  requestAnimationFrame(() => requestAnimationFrame(() => done(document.documentElement.scrollHeight)))`

export async function startWebKitWindow(): Promise<Photographer> {
  const webKit = await startWebKitWithDevices()
  return {
    engine: 'webkit',
    open: (url, size, style) => open(webKit, url, size, style),
    [Symbol.asyncDispose]: () => webKit[Symbol.asyncDispose](),
  }
}

async function open(
  webKit: WebKitWithDevices,
  url: string,
  { width, height }: WindowSize,
  style: string,
): Promise<DemoWindow> {
  const execute = <TValue>(script: string, ...args: readonly unknown[]): Promise<TValue> =>
    webKit.send('POST', '/execute/sync', { script, args })

  async function find(script: string, what: string, ...args: readonly string[]): Promise<Element> {
    const end = Date.now() + LIMIT_MS
    while (Date.now() < end) {
      const found = await execute<Element | null>(script, ...args)
      if (found) return found
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`Failed to find ${what} on the page.`)
  }

  async function click(element: Element): Promise<void> {
    // WebDriver scrolls an element to the edge of the page, where it is under the bar.
    await execute('arguments[0].scrollIntoView({ block: "center" })', element)
    await webKit.send('POST', `/element/${element[ELEMENT]}/click`, {})
  }
  const leaveFrame = (): Promise<void> => webKit.send('POST', '/frame', { id: null })
  const enterFrame = (): Promise<void> => webKit.send('POST', '/frame', { id: frame })
  const innerHeight = (): Promise<number> => execute('return innerHeight')
  const resizeWindow = (to: number): Promise<void> =>
    webKit.send('POST', '/window/rect', { x: 0, y: 0, width: WINDOW_WIDTH, height: to })

  /** As high as the window: WebKitGTK counts from the bottom to find the part of the window that it takes a picture of. */
  async function resizeFrame(to: number): Promise<void> {
    await execute('arguments[0].style.height = arguments[1] + "px"', frame, to)
    await resizeWindow(to + barHeight)
    const end = Date.now() + LIMIT_MS
    while ((await innerHeight()) !== to) {
      if (Date.now() > end) throw new Error(`Failed to make the window ${to} pixels high.`)
    }
  }

  await leaveFrame()
  // A page of this site without the demo.
  await webKit.goto(new URL('/api/nothing', url).href)
  // Neither the theme nor the login of the window before.
  await execute('localStorage.clear()')
  await webKit.send('DELETE', '/cookie')
  const frame = await execute<Element>(REPLACE_PAGE, url, width)
  const { height: outerHeight } = await webKit.send<WindowSize>('GET', '/window/rect')
  const barHeight = outerHeight - (await innerHeight())
  await resizeFrame(height)
  await enterFrame()
  await find(FIND, 'the demo', '#root > *', '')
  await execute(ADD_STYLE, style)

  return {
    press: async (name, within = 'body') =>
      click(await find(FIND_BY_NAME, `the button ${name}`, name, within)),
    pressFirst: async (selector) => click(await find(FIND, selector, selector, '')),
    waitFor: async (selector, text = '') =>
      void (await find(FIND, `${selector} with "${text}"`, selector, text)),
    tab: () =>
      webKit.send('POST', '/actions', {
        actions: [
          {
            type: 'key',
            id: 'keyboard',
            actions: ['keyDown', 'keyUp'].map((type) => ({ type, value: TAB })),
          },
        ],
      }),
    async shoot(file, fullPage) {
      const pageHeight = await webKit.send<number>('POST', '/execute/async', { script: TO_THE_TOP, args: [] })
      await leaveFrame()
      if (fullPage) await resizeFrame(pageHeight)
      const picture = await webKit.send<string>('GET', `/element/${frame[ELEMENT]}/screenshot`)
      if (fullPage) await resizeFrame(height)
      await enterFrame()
      writeFileSync(file, Buffer.from(picture, 'base64'))
    },
    close: () => leaveFrame(),
  }
}
