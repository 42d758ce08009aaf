import { showStory, type ShownStory, type Story } from '../../registry/stories/Story.js'

/*
 * A page that shows one story after the other, and says which styles their elements have. It has none itself.
 */

const files = import.meta.glob<Readonly<Record<string, Story>>>('../../registry/stories/*.stories.tsx', {
  eager: true,
})

/** The stories by item and name: `captions/Growing`. */
const stories = new Map<string, Story>(
  Object.entries(files).flatMap(([file, named]) => {
    const item = /([\w-]+)\.stories/.exec(file)?.[1] ?? ''
    // Some files also export what a test presses.
    return Object.entries(named).flatMap(([name, story]) =>
      'Show' in story ? [[`${item}/${name}`, story] as const] : [],
    )
  }),
)

let shown: ShownStory | undefined

/** A form and some rows or lines. The others are like them. */
const MOST_ELEMENTS = 60

/** These properties of each element, and of what is drawn before and after it, as lines of text. */
function readStyles(properties: readonly string[]): string[] {
  const elements = [...document.querySelectorAll('[class^=stagepass-], [class^=stagepass-] *')]
  return elements.slice(0, MOST_ELEMENTS).flatMap((element, at) =>
    ['', '::before', '::after'].flatMap((part) => {
      const style = getComputedStyle(element, part)
      if (part !== '' && style.content === 'none') return []
      const name = `${at} ${element.localName}${part}`
      return properties.map((property) => `${name} { ${property}: ${style.getPropertyValue(property)} }`)
    }),
  )
}

const sheet = document.head.appendChild(document.createElement('style'))

const page = {
  names: [...stories.keys()],
  /** With these styles. */
  async show(name: string, css: string): Promise<void> {
    shown?.leave()
    sheet.textContent = css
    const element = document.createElement('main')
    document.body.replaceChildren(element)
    shown = showStory(stories.get(name)!, element)
    await shown.played
  },
  /**
   * What elements have by the styles of a build, and not by `source`. In one go, so that nothing else
   * changes.
   */
  differences(source: string, builds: Readonly<Record<string, string>>, names: RegExp): string[] {
    const properties = [...getComputedStyle(document.body)].filter((property) => names.test(property))
    sheet.textContent = source
    const right = new Set(readStyles(properties))
    return Object.entries(builds).flatMap(([build, css]) => {
      sheet.textContent = css
      return readStyles(properties)
        .filter((line) => !right.has(line))
        .map((line) => `${build}: ${line}`)
    })
  },
}

declare global {
  interface Window {
    readonly stories: typeof page
  }
}

Object.assign(window, { stories: page })
