import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePorts } from '@stagepass/testing/freePorts'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { runIn, type Running, startIn, visitThenStop } from '@stagepass/testing/programs'
import { type LocalRegistry, startRegistry } from './startRegistry.js'
import { chromium, type Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { provideTarballs } from '../../scripts/pack.js'
import { SHARED } from '../../scripts/templates.js'
import { expectLogin, expectLoginRefused, expectThisMachineAlone } from './expectLoopback.js'
import { readAddress, readSteps } from './readSteps.js'
import { visitSite } from './visitSite.js'

/*
 * Follows the start pages and `npm create stagepass` step by step in an empty folder, like a new user: the
 * packages come from a registry by their names. `npm run test:all` runs this. A start page has the form that
 * readSteps.ts describes. Its application has a button "Speak" and shows the captions in the element
 * `captions`.
 */

/** Expo needs a phone, so `native.md` has no page to open. */
const PAGES = readdirSync('docs/start')
  .filter((name) => name !== 'native.md')
  .map((name) => `docs/start/${name}`)

const folders: string[] = []
const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-start-'))
  folders.push(folder)
  return folder
}

/** Another application in development, with Vite's own port for edits. */
const other = createServer()

let registry: LocalRegistry
let browser: Browser
beforeAll(async () => {
  // If the port is taken, there is one already.
  other.on('error', () => {}).listen(24_678)
  registry = await startRegistry(Object.values(await provideTarballs(emptyFolder())))
  // Chromium's fake microphone beeps.
  browser = await chromium.launch(chromiumOptions())
}, 600_000)
afterAll(async () => {
  other.close()
  await browser?.close()
  await registry?.[Symbol.asyncDispose]()
  // Half a million files: Node's own function needs minutes for them.
  execFileSync('rm', ['-rf', ...folders])
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
    await visitThenStop(start(), async (server) => {
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
      await expectThisMachineAlone(Number(new URL(url).port))
      expect(server.output()).not.toMatch(/in use/i)

      await checkTypes(folder)
    })

    // A killed process can close its port after its output.
    await expect
      .poll(() =>
        fetch(url).then(
          ({ status }) => status,
          () => 'gone',
        ),
      )
      .toBe('gone')
    const taken = createServer().listen(Number(new URL(url).port))
    await once(taken, 'listening')
    const late = start()
    try {
      await expect(late.printed('what no server prints')).rejects.toThrow(/EADDRINUSE|in use/)
      expect(late.output()).not.toContain(url)
    } finally {
      await late.stop()
      taken.close()
    }
  },
  900_000,
)

/**
 * In production an application has its own login. Here the login of the template no longer refuses to run
 * there.
 */
function replaceLogin(path: string): void {
  const text = readFileSync(path, 'utf8')
  const checks = [/ {2}if \(process\.env\.NODE_ENV[^]+?\n {4}\)\n/, / {6}if \(!isNear[^]+?\n {8}\)\n/]
  for (const check of checks) expect(text).toMatch(check)
  writeFileSync(
    path,
    checks.reduce((own, check) => own.replace(check, ''), text),
  )
}

it.each([
  { template: 'express', rendersMeetings: false },
  { template: 'next', rendersMeetings: true },
  { template: 'react-router', rendersMeetings: true },
  { template: 'hono', rendersMeetings: false },
  { template: 'workers', rendersMeetings: false },
] as const)(
  'npm create stagepass, template $template: the commands that it prints lead to a page that works, and so does production, once it has a login of its own',
  async ({ template, rendersMeetings }) => {
    const folder = emptyFolder()
    const run = (commands: readonly string[]): Promise<string> =>
      runIn(folder, 'sh', ['-ec', commands.join('\n')], { env: registry.env, limitSeconds: 900 })
    const printed = await run([`npm create stagepass@latest my-app -- --template ${template} --yes`])
    const steps = [...printed.matchAll(/^ {2}(.+)$/gm)].map(([, line]) => line)
    expect(steps).toEqual(['cd my-app', 'npm install', 'npm run dev'])
    await run(['cd my-app', 'npm install', 'npm run typecheck', 'cp --archive --link . ../beside'])
    expect(await run(['cd my-app', 'npm test 2>&1'])).not.toMatch(/warn|not wrapped in act/i)
    const built = await run(['cd my-app', 'npm run build --if-present 2>&1'])
    expect(built).not.toMatch(/warn|MODULE_LEVEL_DIRECTIVE/i)

    const [port, portBeside] = (await freePorts(2)) as [number, number]
    const url = `http://localhost:${port}`
    /** Runs a command with a free port, and ends it after the visit. */
    const serve = async (
      command: string,
      env: NodeJS.ProcessEnv,
      visit: (server: Running) => Promise<void>,
      app = 'my-app',
    ): Promise<void> => {
      const server = startIn(folder, 'sh', ['-ec', `cd ${app}\n${command}`], {
        env: { ...registry.env, PORT: String(port), ...env },
      })
      await visitThenStop(server, visit)
    }
    const visit = async (server: Running): Promise<void> => {
      await answers(server, url)
      await visitSite({ url, rendersMeetings })
    }
    const [start, isProduction] =
      template === 'workers' // It has no server of its own to start.
        ? ['npm run dev', { PUBLIC_ORIGIN: 'https://app.example.com' }]
        : ['npm start', { NODE_ENV: 'production' }]
    await serve(start, isProduction, (server) =>
      expect(server.printed('what no server prints')).rejects.toThrow('with your own login'),
    )
    await serve('npm run dev', {}, async (server) => {
      await visit(server)
      await expectThisMachineAlone(port)
      await expectLogin(port)
      const visitBeside = async (beside: Running): Promise<void> => {
        const urlBeside = `http://localhost:${portBeside}`
        await answers(beside, urlBeside)
        await visitSite({ url: urlBeside, rendersMeetings })
        await visitSite({ url, rendersMeetings })
        expect(server.output() + beside.output()).not.toMatch(/in use/i)
      }
      await serve('npm run dev', { PORT: String(portBeside) }, visitBeside, 'beside')
    })
    await serve('npm run dev', { HOST: '0.0.0.0' }, async (server) => {
      await answers(server, url)
      await expectLoginRefused(port)
    })
    if (template === 'workers') return

    replaceLogin(join(folder, 'my-app', SHARED['login/login.ts']?.[template] ?? ''))
    await run(['cd my-app', 'npm run build --if-present'])
    // In production the emulator refuses to run, so it is another process.
    const { createEmulator } = await import('@stagepass/emulator')
    await using emulator = await createEmulator()
    const service = {
      VOICE_API_KEY: emulator.apiKey,
      VOICE_BASE_URL: emulator.baseUrl,
      VOICE_STREAMING_URL: emulator.streamingUrl,
      VOICE_MEETINGS_URL: emulator.meetingsUrl,
      VOICE_MEETINGS_TOKEN: emulator.meetingsCredential,
    }
    await serve(start, { ...isProduction, ...service, PUBLIC_ORIGIN: url }, visit)
  },
  900_000,
)
