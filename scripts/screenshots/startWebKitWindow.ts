import { writeFileSync } from 'node:fs'
import {
  startWebKitWithDevices,
  type WebKitWithDevices,
} from '../../packages/testing/src/engines/startWebKitWithDevices.js'
import { ELEMENT, type Element, webKitPage } from '../../packages/testing/src/pages/webKitPage.js'
import type { DemoWindow, Photographer, WindowSize } from './DemoWindow.js'

/*
 * WebKitGTK, by plain WebDriver. The page is in an `iframe`, because its window cannot be as narrow as a phone; a picture is one of the
 * `iframe`.
 */

const WINDOW_WIDTH = 1_500
const LIMIT_MS = 30_000

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
  const page = webKitPage(webKit.send)
  const { execute } = page
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
  await page.waitFor('#root > *')
  await execute(ADD_STYLE, style)

  return {
    ...page,
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
