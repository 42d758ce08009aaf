import { virtual } from '@guidepup/virtual-screen-reader'
import axe from 'axe-core'
import { afterEach } from 'vitest'
import { commands } from 'vitest/browser'
import { showStory, type ShownStory, type Story } from '../stories/Story'

let shown: ShownStory | undefined

function leave(): void {
  shown?.leave()
  shown?.element.remove()
  shown = undefined
  document.documentElement.removeAttribute('style')
}

afterEach(() => {
  leave()
  // The settings that an item stores for the reader.
  localStorage.clear()
})

/**
 * Shows a story as a page would, and waits until its state is there. It is left after the test, and before
 * the next one.
 */
export async function stage(story: Story): Promise<ShownStory> {
  leave()
  const element = document.createElement('main')
  document.body.append(element)
  document.title = story.title
  document.documentElement.lang = 'en'
  shown = showStory(story, element)
  await shown.played
  return shown
}

const AT_AA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The violations that axe finds in light and dark mode, at WCAG 2.2 AA. */
export async function violations(element: HTMLElement): Promise<string[]> {
  const found: string[] = []
  // Of axe's rules only the contrast can differ in the dark.
  for (const [scheme, runOnly] of [
    ['light', AT_AA],
    ['dark', ['color-contrast']],
  ] as const) {
    document.documentElement.style.colorScheme = scheme
    document.documentElement.style.backgroundColor = 'Canvas'
    const { violations } = await axe.run(element, { runOnly: [...runOnly], resultTypes: ['violations'] })
    for (const { id, nodes } of violations)
      found.push(`${scheme}: ${id}: ${nodes.map(({ html }) => html).join()}`)
  }
  return found
}

/** The words of a screen reader, from the first to the last item in the element. */
export async function readAloud(element: HTMLElement): Promise<string[]> {
  await virtual.start({ container: element })
  try {
    for (let step = 0; step < 500; step += 1) {
      await virtual.next()
      if ((await virtual.lastSpokenPhrase()) === 'end of main') break
    }
    return await virtual.spokenPhraseLog()
  } finally {
    await virtual.stop()
  }
}

/** Presses keys of the keyboard, one after the other: `Tab`, `Enter`, or what the key writes. */
export async function press(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await commands.input({ type: 'keyDown', key })
    await commands.input({ type: 'keyUp', key })
  }
}

/** As `readAloud`, without the ends of items, and without words that are also the name of a button. */
export async function readShort(element: HTMLElement): Promise<string[]> {
  const spoken = await readAloud(element)
  return spoken.filter(
    (phrase, at) =>
      !/^(main|paragraph|end of .*)$/.test(phrase) &&
      !/^(button|switch), /.exec(`${spoken[at - 1]}`)?.input.includes(phrase),
  )
}

/** The announcements of a screen reader from now on: the changes of live regions. */
export async function listen(element: HTMLElement) {
  await virtual.start({ container: element })
  return {
    said: async (): Promise<string[]> =>
      (await virtual.spokenPhraseLog()).filter((phrase) => /^(polite|assertive): ./.test(phrase)),
    [Symbol.asyncDispose]: () => virtual.stop(),
  }
}
