import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { runIn, type Running, startIn } from '@stagepass/testing/programs'
import { type Browser, chromium, type Locator, type Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  exampleOf,
  filesOf,
  ITEM_NAMES,
  partsOf,
  readItemFile,
  registryFiles,
  TARGET,
  VERSION,
} from '../../registry/build.js'
import { type ItemName } from '../../registry/items.js'
import { provideTarballs } from '../../scripts/pack.js'
import { type LocalRegistry, startRegistry } from '../start/startRegistry.js'
import { FRESH_APPS, PROVIDERS } from './freshApps.js'

/*
 * Each component is added to a fresh application by `shadcn`, as a user does it: from the files that the docs
 * site serves, with the packages from a registry by their names. The linter of the application finds nothing
 * in it, React Compiler compiles it, the application builds, and the component works in a browser.
 */

const SHADCN = 'shadcn@4.23.0'

/** Not the newest version: an application has others of TanStack's packages that do not fit that one. */
const QUERY = '5.104.4'

/** A line of the captions. The emulator says words to any sound. */
const caption = (page: Page): Locator =>
  page
    .getByRole('region', { name: 'Captions' })
    .getByRole('listitem')
    .filter({ hasText: /\w+ \w+/ })
    .first()

/** Uses each component as a person does, and waits for the effect. */
const USES: Readonly<Record<ItemName, (page: Page) => Promise<void>>> = {
  captions: async (page) => {
    await page.getByRole('button', { name: 'Start' }).click()
    await caption(page).waitFor()
  },
  'push-to-talk': async (page) => {
    await page.getByRole('button', { name: 'Hold to talk' }).focus()
    await page.keyboard.down('Space')
    await page.getByText('Listening', { exact: true }).waitFor()
    await page.keyboard.up('Space')
    await page.getByText('Not listening').waitFor()
  },
  'voice-session': async (page) => {
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('You are heard.').waitFor()
    await page.getByRole('button', { name: 'End' }).click()
    await page.getByText('The microphone is off.', { exact: true }).waitFor()
  },
  'device-select': async (page) => {
    await page.getByRole('button', { name: 'Speak' }).click()
    await page
      .getByRole('combobox', { name: 'Microphone' })
      .getByText('Fake Audio Input 1')
      .waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Mute' }).press('Space')
    await page.getByText('You are not heard.').waitFor()
  },
  'meetings-list': async (page) => {
    const meeting = page.getByRole('listitem').first().getByRole('button').first()
    await meeting.press('Enter')
    await page.getByRole('button', { name: 'Load again' }).waitFor()
    await meeting.press('Enter')
    await page.getByRole('button', { name: 'Load again' }).waitFor({ state: 'detached' })
  },
  'usage-meter': (page) => page.getByText(/^\d+:\d\d of 30:00 used$/).waitFor(),
  'voice-page': async (page) => {
    await page.getByRole('button', { name: 'Start' }).click()
    await caption(page).waitFor()
    await page.getByRole('button', { name: 'Devices' }).click()
    await page.getByRole('combobox', { name: 'Microphone' }).waitFor()
    await page.getByRole('button', { name: 'End' }).click()
    await page.getByText('The microphone is off.', { exact: true }).waitFor()
    await page.getByText(/^\d+:\d\d of 30:00 used$/).waitFor()
    await page.getByRole('button', { name: 'Load more' }).waitFor()
  },
}

let folder: string
let packages: LocalRegistry
let browser: Browser
/** Requests for files that do not exist. */
const missed: string[] = []
const site = createServer((req, res) => {
  const text = registryFiles().get((req.url ?? '').replace('/r/', ''))
  if (text === undefined) missed.push(req.url ?? '')
  res.writeHead(text === undefined ? 404 : 200).end(text)
})
const origin = (): string => `http://127.0.0.1:${(site.address() as AddressInfo).port}`

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stagepass-copied-'))
  packages = await startRegistry(Object.values(await provideTarballs(folder)))
  await once(site.listen(0, '127.0.0.1'), 'listening')
  browser = await chromium.launch(chromiumOptions())
}, 600_000)
afterAll(async () => {
  await browser?.close()
  site.closeAllConnections()
  site.close()
  await packages?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Texts of the files of a component, and of those that it is made of. */
const textsOf = (name: ItemName): Record<string, string> =>
  Object.fromEntries(
    partsOf(name)
      .flatMap(filesOf)
      .map((file) => [file, readItemFile(file)]),
  )

const textsIn = (folder: string): Record<string, string> =>
  Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]))

/** The files of a page for each component, and of the providers. */
const uses = (): Record<string, string> =>
  Object.fromEntries([
    ['examples/Providers.tsx', PROVIDERS],
    ...ITEM_NAMES.map((name) => [`examples/${name}.tsx`, exampleOf(name, `../${TARGET}/`)]),
  ])

async function usePage(name: ItemName, url: string): Promise<void> {
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    const { url } = message.location()
    // Not every template has an icon.
    if (message.type() === 'error' && !url.endsWith('/favicon.ico')) errors.push(`${message.text()} (${url})`)
  })
  await page.goto(url)
  await page.locator(`.stagepass-${name}`).first().waitFor({ timeout: 60_000 })
  // The page has no other styles, not even a `color-scheme`.
  const item = page.locator('[class^=stagepass-]:not(.stagepass-voice-page)').first()
  await expect(item.evaluate((element) => getComputedStyle(element).border)).resolves.toBe(
    '1px solid rgb(201, 202, 194)',
  )
  await USES[name](page)
  expect(errors).toEqual([])
  await page.close()
}

it.each(FRESH_APPS)(
  'a fresh application of $title: each component is added, linted, compiled, built and used',
  async ({ create, sources, lint, config, pages, pathOf, title }) => {
    const place = join(folder, title)
    mkdirSync(place)
    const app = join(place, 'app')
    const env = { ...packages.env, REGISTRY_URL: `${origin()}/shadcn` }
    const run = (...[command, ...args]: readonly [string, ...string[]]): Promise<string> =>
      runIn(app, command, args, { env, limitSeconds: 900 })
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(app, path)), { recursive: true })
      writeFileSync(join(app, path), text)
    }

    await runIn(place, 'sh', ['-ec', create], { env, limitSeconds: 900 })
    await run('npm', 'install', `@tanstack/react-query@${QUERY}`)

    const copies = join(app, sources, TARGET)
    const add = (...names: readonly ItemName[]): Promise<string> =>
      run('npx', '--yes', SHADCN, 'add', ...names.map((name) => `${origin()}/r/${VERSION}/${name}.json`))
    for (const name of ITEM_NAMES) {
      await add(name)
      expect(textsIn(copies)).toEqual(textsOf(name))
      rmSync(copies, { recursive: true })
    }
    const printed = await add(...ITEM_NAMES)
    expect(printed.match(/npm create stagepass/g)).toHaveLength(1)
    expect(missed).toEqual([])
    const manifest = JSON.parse(readFileSync(join(app, 'package.json'), 'utf8')) as { dependencies: object }
    expect(manifest.dependencies).toMatchObject({
      '@stagepass/react': expect.stringContaining(VERSION),
      '@tanstack/react-query': expect.stringContaining(QUERY),
    })
    const lock = JSON.parse(readFileSync(join(app, 'package-lock.json'), 'utf8')) as {
      packages: Readonly<Record<string, { readonly version: string }>>
    }
    const cores = Object.entries(lock.packages).filter(([path]) => path.endsWith('@tanstack/query-core'))
    expect(cores.map(([, { version }]) => version)).toEqual([QUERY])
    await run('npx', '--no-install', ...lint)

    // The server, with an emulator of the service.
    await run('npm', 'install', '--save-dev', 'express', '@stagepass/bff', '@stagepass/emulator')
    cpSync('scripts/consumer/apps/page/serve.mjs', join(app, 'serve.mjs'))
    const [file, found, put] = config
    const before = readFileSync(join(app, file), 'utf8')
    expect(before).toContain(found)
    write(file, before.replace(found, put))
    for (const [path, text] of Object.entries({ ...uses(), ...pages(ITEM_NAMES) }))
      write(join(sources, path), text)

    const running: Running[] = []
    const start = async (env: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<string> => {
      const server = startIn(app, 'npx', ['--no-install', ...args], { env })
      running.push(server)
      await server.printed(/http:\S+\d/)
      return /http:\S+\d/.exec(server.output())?.[0] ?? ''
    }
    try {
      const voice = await start({}, 'node', 'serve.mjs', 'dist', '30')
      const withVoice = { VOICE_SERVER: voice }
      await runIn(app, 'npm', ['run', 'build'], { env: withVoice, limitSeconds: 900 })
      const url =
        title === 'Vite'
          ? voice
          : await start(withVoice, 'next', 'start', '--port', '0', '--hostname', '127.0.0.1')
      for (const name of ITEM_NAMES) await usePage(name, url + pathOf(name))
    } finally {
      for (const server of running) await server.stop()
    }
  },
  1_800_000,
)
