import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import react from '@vitejs/plugin-react'
import { type Browser, chromium, type Page } from 'playwright'
import { build, defaultClientConditions } from 'vite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ITEM_NAMES, readItem } from '../../registry/build.js'
import { buildStyles, stylesIn } from './buildStyles.js'

/*
 * Production builds compile the styles of the items for older browsers. In each state of each item, and in
 * pages of each kind, every element looks as it does by the styles that were copied.
 */

const SOURCE = ITEM_NAMES.map((name) => readItem(name, 'css')).join('\n')

const LIGHT = 'rgb(255, 255, 255)'
const DARK = 'rgb(25, 29, 28)'

/** What a page says of its colours, and the background that an item then has. */
const PAGES: readonly (readonly [
  title: string,
  preferred: 'light' | 'dark',
  head: string,
  ground: string,
])[] = [
  ['nothing', 'light', '', LIGHT],
  ['nothing, and the reader prefers the dark', 'dark', '', LIGHT],
  ['that it is dark', 'light', '<style>:root { color-scheme: dark }</style>', DARK],
  ['that it is both', 'dark', '<style>:root { color-scheme: light dark }</style>', DARK],
  ['that it is dark, in a tag', 'light', '<meta name="color-scheme" content="dark">', DARK],
]

let folder: string
let browser: Browser
const built = new Map<string, string>()
/** The head of the page. */
let head = ''
const site = createServer((req, res) => {
  if (req.url === '/page.js') res.setHeader('content-type', 'text/javascript').end(script())
  else
    res
      .setHeader('content-type', 'text/html')
      .end(
        `<!doctype html><html lang="en"><head>${head}</head><body></body><script type="module" src="/page.js"></script>`,
      )
})
const script = (): string => readFileSync(join(folder, 'vite/page.js'), 'utf8')

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stagepass-compiled-'))
  await build({
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
    build: {
      outDir: join(folder, 'vite'),
      rolldownOptions: {
        input: fileURLToPath(new URL('storiesPage.ts', import.meta.url)),
        output: { entryFileNames: 'page.js', codeSplitting: false },
      },
    },
  })
  built.set('Vite', stylesIn(join(folder, 'vite')))
  for (const [name, css] of await buildStyles(folder)) built.set(name, css)
  await once(site.listen(0, '127.0.0.1'), 'listening')
  browser = await chromium.launch(chromiumOptions())
}, 900_000)
afterAll(async () => {
  await browser?.close()
  site.closeAllConnections()
  site.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The page with the stories. It says this of its colours. */
async function openStories(says: string, colorScheme: 'light' | 'dark'): Promise<Page> {
  head = says
  const page = await browser.newPage({ colorScheme })
  await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
  return page
}

it.each(PAGES)(
  'items look as they were copied, in a page that says %s',
  async (_title, preferred, says, ground) => {
    const page = await openStories(says, preferred)
    // The other pages differ by their colours alone. Next.js sets the last one for browsers of long ago.
    const isFirst = says === '' && preferred === 'light'
    const properties = isFirst ? /^(?!font-feature-settings)/ : /color|background|^border|outline|fill|stroke/
    const found: string[] = []
    for (const name of await page.evaluate(() => window.stories.names)) {
      await page.evaluate(([name, css]) => window.stories.show(name, css), [name, SOURCE] as const)
      const differences = await page.evaluate(
        ([source, builds, properties]) => window.stories.differences(source, builds, properties),
        [SOURCE, Object.fromEntries(built), properties] as const,
      )
      found.push(...differences.map((line) => `${name}: ${line}`))
    }
    expect(found.slice(0, 20)).toEqual([])

    await page.evaluate((css) => window.stories.show('usage-meter/Enough', css), SOURCE)
    const item = page.locator('.stagepass-usage-meter')
    expect(await item.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(ground)
    await page.close()
  },
  900_000,
)
