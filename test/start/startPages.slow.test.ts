import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '@stagepass/testing/freePorts'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { runIn, startIn, type Running } from '@stagepass/testing/programs'
import { type LocalRegistry, startRegistry } from './startRegistry.js'
import { chromium, type Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { visitSite } from '../../scripts/consumer/examples/visit.js'
import { provideTarballs } from '../../scripts/pack.js'
import { readAddress, readSteps } from './readSteps.js'

/*
 * Follows the start pages and `npm create stagepass` step by step in an empty folder, like a new user: the
 * packages come from a registry by their names. `npm run test:all` runs this. A start page has the form that
 * readSteps.ts describes. Its application has a button "Speak" and shows the captions in the element
 * `captions`.
 */

const PAGES = readdirSync('docs/start').map((name) => `docs/start/${name}`)

const folders: string[] = []
const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-start-'))
  folders.push(folder)
  return folder
}

let registry: LocalRegistry
let browser: Browser
beforeAll(async () => {
  registry = await startRegistry(Object.values(await provideTarballs(emptyFolder())))
  // Chromium's fake microphone beeps.
  browser = await chromium.launch(chromiumOptions())
}, 600_000)
afterAll(async () => {
  await browser?.close()
  await registry?.[Symbol.asyncDispose]()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Compiler options of an editor for files without a `tsconfig.json`. */
const TYPES =
  '--ignoreConfig --noEmit --strict --jsx react-jsx --module nodenext --target es2022 --skipLibCheck'

interface Followed {
  readonly folder: string
  /** Starts the server. */
  readonly start: () => Running
}

/** Follows the page in an empty folder. The last commands keep running: they are the server. */
async function follow(page: string): Promise<Followed> {
  const folder = emptyFolder()
  const steps = readSteps(page)
  for (const step of steps.slice(0, -1)) {
    if (step.type === 'run') {
      await runIn(folder, 'sh', ['-ec', step.commands], { env: registry.env, limitSeconds: 900 })
    } else {
      mkdirSync(dirname(join(folder, step.path)), { recursive: true })
      writeFileSync(join(folder, step.path), step.text)
    }
  }
  const last = steps.at(-1)
  const commands = last?.type === 'run' ? last.commands : ''
  return { folder, start: () => startIn(folder, 'sh', ['-ec', commands], { env: registry.env }) }
}

/** Type-checks the files of the page. Next.js has written a `tsconfig.json` by then. */
async function checkTypes(folder: string): Promise<void> {
  const files = readdirSync(folder).filter((name) => /\.tsx?$/.test(name))
  const options = existsSync(join(folder, 'tsconfig.json')) ? ['--noEmit'] : [...TYPES.split(' '), ...files]
  await runIn(folder, 'npx', ['--no-install', 'tsc', ...options])
}

/** Resolves when the server responds. Rejects with its output if it ends before. */
async function answers(server: Running, url: string): Promise<void> {
  await server.printed(new URL(url).port)
  await expect.poll(() => fetch(url).then(({ status }) => status, String)).toBe(200)
}

it.each(PAGES)(
  '%s leads to captions in the page',
  async (path) => {
    const text = readFileSync(path, 'utf8')
    const url = readAddress(text)
    const { folder, start } = await follow(text)
    const server = start()
    try {
      await answers(server, url)
      const response = await fetch(`${url}/api/voice/session-token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-stagepass': '1', origin: url },
        body: JSON.stringify({ usage_type: 'stt' }),
      })
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject({ type: 'session', usage_type: 'stt' })

      const page = await browser.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      await page.goto(url)
      await page.getByText('The stream is idle.').waitFor({ timeout: 60_000 })
      await page.getByRole('button', { name: 'Speak' }).click()
      const captions = page.locator('#captions')
      await expect.poll(() => captions.innerText()).toMatch(/\w+ \w+/)
      expect(errors).toEqual([])
      await page.close()

      await checkTypes(folder)
    } catch (error) {
      throw new Error(`The server printed:\n${server.output().slice(-2_000)}`, { cause: error })
    } finally {
      await server.stop()
    }

    // A killed process can close its port after its output.
    await expect
      .poll(() =>
        fetch(url).then(
          ({ status }) => status,
          () => 'gone',
        ),
      )
      .toBe('gone')
    const other = createServer().listen(Number(new URL(url).port))
    await once(other, 'listening')
    const late = start()
    try {
      await expect(late.printed('what no server prints')).rejects.toThrow(/EADDRINUSE|in use/)
      expect(late.output()).not.toContain(url)
    } finally {
      await late.stop()
      other.close()
    }
  },
  900_000,
)

it.each([
  { template: 'express', rendersMeetings: false },
  { template: 'next', rendersMeetings: true },
  { template: 'react-router', rendersMeetings: true },
  { template: 'hono', rendersMeetings: false },
  { template: 'workers', rendersMeetings: false },
])(
  'npm create stagepass, template $template: it builds, refuses production until it has a login of its own, and the commands that it prints lead to a page that works',
  async ({ template, rendersMeetings }) => {
    const folder = emptyFolder()
    const run = (commands: readonly string[]): Promise<string> =>
      runIn(folder, 'sh', ['-ec', commands.join('\n')], { env: registry.env, limitSeconds: 900 })
    const printed = await run([`npm create stagepass@latest my-app -- --template ${template} --yes`])
    const steps = [...printed.matchAll(/^ {2}(.+)$/gm)].map(([, line]) => line)
    expect(steps).toEqual(['cd my-app', 'npm install', 'npm run dev'])
    await run(['cd my-app', 'npm install', 'npm run typecheck'])
    const built = await run(['cd my-app', 'npm run build --if-present 2>&1'])
    expect(built).not.toMatch(/warn|MODULE_LEVEL_DIRECTIVE/i)

    const port = String(await freePort('localhost'))
    const production =
      template === 'workers'
        ? { command: `npm run dev -- --port ${port}`, env: { PUBLIC_ORIGIN: 'https://app.example.com' } }
        : { command: 'npm start', env: { NODE_ENV: 'production' } }
    const refused = startIn(folder, 'sh', ['-ec', `cd my-app\n${production.command}`], {
      env: { ...registry.env, ...production.env, PORT: port },
    })
    try {
      await expect(refused.printed('what no server prints')).rejects.toThrow('with your own login')
    } finally {
      await refused.stop()
    }
    // Its port is in wrangler.jsonc and may be in use.
    if (template === 'workers') return

    const url = `http://localhost:${port}`
    const env = { ...registry.env, PORT: port }
    const server = startIn(folder, 'sh', ['-ec', 'cd my-app\nnpm run dev'], { env })
    try {
      await answers(server, url)
      await visitSite({ url, rendersMeetings })
    } catch (error) {
      throw new Error(`The server printed:\n${server.output().slice(-2_000)}`, { cause: error })
    } finally {
      await server.stop()
    }
  },
  900_000,
)
