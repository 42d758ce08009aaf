import type { EnginePage } from './EnginePage.js'

/** The key of an element in WebDriver's JSON. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
type Element = Readonly<Record<typeof ELEMENT, string>>

/** Sends a command of WebDriver. The path is relative to the session. */
export type Send = <TValue>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<TValue>

export interface WebKitPage extends EnginePage {
  /** Runs the body of a function in the page. */
  readonly execute: <TValue>(script: string, ...args: readonly unknown[]) => Promise<TValue>
}

const TAB = '\uE004'
const LIMIT_MS = 30_000

/** Finds the first button or radio button with this name. */
const FIND_BY_NAME = `
  const [name, within] = arguments
  const nameOf = (one) => one.getAttribute('aria-label') ?? (one.closest('label') ?? one).textContent.trim()
  const all = document.querySelectorAll(':is(' + within + ') :is(button, [type=radio])')
  return [...all].find((one) => nameOf(one) === name) ?? null`

/** Finds the first element of a selector that contains this text. */
const FIND = `
  const [selector, text] = arguments
  return [...document.querySelectorAll(selector)].find((one) => one.textContent.includes(text)) ?? null`

/** The page in the window of WebKitGTK, or in the current frame, controlled by plain WebDriver. */
export function webKitPage(send: Send): WebKitPage {
  const execute = <TValue>(script: string, ...args: readonly unknown[]): Promise<TValue> =>
    send('POST', '/execute/sync', { script, args })

  /** Repeats the script until it returns an element. `what` is for the error. */
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
    // WebDriver scrolls an element to the edge of the page, where a bar may cover it.
    await execute('arguments[0].scrollIntoView({ block: "center" })', element)
    await send('POST', `/element/${element[ELEMENT]}/click`, {})
  }

  return {
    execute,
    press: async (name, within = 'body') =>
      click(await find(FIND_BY_NAME, `the button ${name}`, name, within)),
    pressFirst: async (selector) => click(await find(FIND, selector, selector, '')),
    waitFor: async (selector, text = '') =>
      void (await find(FIND, `${selector} with "${text}"`, selector, text)),
    read: async (selector) =>
      execute('return arguments[0].textContent', await find(FIND, selector, selector, '')),
    tab: () =>
      send('POST', '/actions', {
        actions: [
          {
            type: 'key',
            id: 'keyboard',
            actions: ['keyDown', 'keyUp'].map((type) => ({ type, value: TAB })),
          },
        ],
      }),
    close: () => send('POST', '/url', { url: 'about:blank' }),
  }
}
