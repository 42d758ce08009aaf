import axe from 'axe-core'
import type { Page } from 'playwright'

/** All rules that axe uses by default, and the size of targets, which it does not. */
const ALL: axe.RunOptions = { rules: { 'target-size': { enabled: true } } }

/** The rules that depend on colours. The others have the same result in light and dark. */
const OF_COLOURS: axe.RunOptions = { runOnly: ['color-contrast', 'link-in-text-block'] }

/** A width in pixels, and a colour scheme. */
export type View = readonly [width: number, colorScheme: 'light' | 'dark']

/** A phone and a desktop, in light and in dark. */
export const VIEWS: readonly View[] = [
  [390, 'light'],
  [390, 'dark'],
  [1_440, 'light'],
  [1_440, 'dark'],
]

/**
 * Runs axe on a phone and on a desktop, in light and in dark. Returns a line for each element with a problem.
 * `part` selects the part that has changed since the last call. The mouse does not move, so the element under
 * it keeps its hover style.
 */
export async function findViolations(
  page: Page,
  state: string,
  part = 'html',
  views: readonly View[] = VIEWS,
): Promise<string[]> {
  // The debugger runs the script, so the page's Content-Security-Policy does not block it.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const lines: string[] = []
  for (const [width, colorScheme] of views) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const found = await run(page, part, colorScheme === 'light' ? ALL : OF_COLOURS)
    lines.push(...found.map((line) => `${state}, ${width} pixels, ${colorScheme}: ${line}`))
  }
  return lines
}

function run(page: Page, part: string, options: axe.RunOptions): Promise<string[]> {
  return page.evaluate(
    async ([inside, given]) => {
      const here = window as unknown as { readonly axe: { readonly run: typeof axe.run } }
      const { violations } = await here.axe.run(inside, {
        ...given,
        preload: false,
        resultTypes: ['violations'],
      })
      return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}. ${failureSummary}`),
      )
    },
    [part, options] as const,
  )
}
