import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createEmulator } from '@stagepass/emulator'
import { startNginx } from '@stagepass/testing'
import { freePort } from '@stagepass/testing/freePorts'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { runIn, startIn } from '@stagepass/testing/programs'
import { type Browser, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { provideTarballs } from '../../scripts/pack.js'
import { readSteps } from './readSteps.js'
import { type LocalRegistry, startRegistry } from './startRegistry.js'

/*
 * Follows docs/existing-app.md in an application that is there already: Express, sessions, helmet, React
 * Router, TypeScript that is compiled to CommonJS. The files are those of the page, unchanged.
 */

const PAGE = 'docs/existing-app.md'

/** What the application has before. */
const MANIFEST = {
  name: 'existing',
  private: true,
  scripts: { build: 'tsc -p tsconfig.server.json && tsc -p tsconfig.json && vite build' },
}
const TSCONFIG = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }
const FILES = {
  'tsconfig.server.json': JSON.stringify({
    compilerOptions: {
      ...TSCONFIG,
      module: 'commonjs',
      target: 'es2022',
      esModuleInterop: true,
      outDir: 'build',
      types: ['node'],
    },
    files: ['server.ts'],
  }),
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      ...TSCONFIG,
      module: 'esnext',
      moduleResolution: 'bundler',
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable'],
      jsx: 'react-jsx',
      noEmit: true,
      types: ['vite/client'],
    },
    include: ['src'],
  }),
  'index.html': `<!doctype html><html lang="en"><head><meta charset="utf-8" /><title>Existing</title><link rel="icon" href="data:," /></head>
<body><div id="root"></div><script type="module" src="/src/main.tsx"></script></body></html>`,
}
const DEPENDENCIES = ['compression', 'express-session', 'helmet', 'react', 'react-dom', 'react-router@7']
const TOOLS = [
  'typescript@5.9',
  'vite',
  '@vitejs/plugin-react',
  '@testing-library/react',
  'jsdom',
  'vitest',
].concat(['compression', 'express-session', 'node', 'react', 'react-dom'].map((name) => `@types/${name}`))

const folder = mkdtempSync(join(tmpdir(), 'stagepass-existing-'))
let registry: LocalRegistry
let browser: Browser
beforeAll(async () => {
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  registry = await startRegistry(Object.values(await provideTarballs(tarballs)))
  browser = await chromium.launch(chromiumOptions())
}, 600_000)
afterAll(async () => {
  await browser?.close()
  await registry?.[Symbol.asyncDispose]()
  execFileSync('rm', ['-rf', folder])
})

/** Makes the application, and follows the page in it. Returns what nginx gets. */
async function makeApp(app: string, express: string): Promise<string> {
  const sh = (commands: string): Promise<string> =>
    runIn(app, 'sh', ['-ec', commands], { env: registry.env, limitSeconds: 900 })
  mkdirSync(app, { recursive: true })
  writeFileSync(join(app, 'package.json'), JSON.stringify(MANIFEST))
  for (const [path, text] of Object.entries(FILES)) writeFileSync(join(app, path), text)
  await sh(`npm install express@${express} ${DEPENDENCIES.join(' ')}`)
  await sh(`npm install --save-dev @types/express@${express} ${TOOLS.join(' ')}`)
  let nginx = ''
  // The last step builds, and starts the server.
  for (const step of readSteps(readFileSync(PAGE, 'utf8')).slice(0, -1)) {
    if (step.type === 'run') await sh(step.commands)
    else if (step.path === 'nginx.conf') nginx = step.text
    else {
      mkdirSync(dirname(join(app, step.path)), { recursive: true })
      writeFileSync(join(app, step.path), step.text)
    }
  }
  return nginx
}

/** Signs in, speaks, and reads the list. */
async function tryPage(page: Page, url: string): Promise<void> {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  await page.goto(url)
  await page.getByText('Sign in first.').waitFor()
  const signedIn = await page.request.post(new URL('login', url).href, { data: { user: 'ada' } })
  expect(signedIn.status()).toBe(204)
  await page.reload()
  await page.getByRole('button', { name: 'Speak' }).click()
  await expect.poll(() => page.locator('#captions li').count()).toBeGreaterThan(0)
  await page.getByRole('button', { name: 'Speak' }).click()

  const rows = page.getByRole('region', { name: 'Meetings' }).getByRole('listitem')
  await expect.poll(() => rows.count()).toBe(3)
  await page.getByLabel('Search').fill('design')
  await expect.poll(() => rows.count()).toBe(1)
  expect(new URL(page.url()).search).toBe('?search=design')
  await page.reload()
  await expect.poll(() => rows.count()).toBe(1)
  expect(await page.getByLabel('Search').inputValue()).toBe('design')
  expect(problems).toEqual([])
}

it.each(['4', '5'])(
  'Express %s: the code of the page works behind nginx, at a sub-path, and in development',
  async (express) => {
    const meetings = ['Roadmap', 'Design review', 'Budget'].map((title) => ({ id: title, title }))
    await using emulator = await createEmulator({ meetings })
    const app = join(folder, `express-${express}`)
    const locations = await makeApp(app, express)
    expect(locations).toContain('127.0.0.1:3000')
    await runIn(app, 'npm', ['run', 'build'], { env: registry.env, limitSeconds: 300 })
    const port = await freePort()
    await using nginx = await startNginx({
      target: '',
      locations: locations.replace('127.0.0.1:3000', `127.0.0.1:${port}`),
    })
    // The dev server, with the port of this test in its proxy.
    const settings = join(app, 'vite.config.ts')
    writeFileSync(settings, readFileSync(settings, 'utf8').replace('127.0.0.1:3000', `127.0.0.1:${port}`))
    const devPort = await freePort('localhost')
    const dev = startIn(app, 'npx', ['vite', '--port', String(devPort), '--strictPort'])
    try {
      await dev.printed(String(devPort))
      const site = `http://${nginx.host.replace('127.0.0.1', 'localhost')}`
      await visit({ url: `${site}/app/`, env: { PUBLIC_ORIGIN: site } })
      await visit({ url: `http://localhost:${devPort}/app/`, env: {} })
    } finally {
      await dev.stop()
    }

    async function visit({ url, env }: { url: string; env: NodeJS.ProcessEnv }): Promise<void> {
      const server = startIn(app, process.execPath, ['build/server.js'], {
        env: {
          ...env,
          PORT: String(port),
          SESSION_SECRET: 'of the test',
          VOICE_API_KEY: emulator.apiKey,
          VOICE_BASE_URL: emulator.baseUrl,
          VOICE_STREAMING_URL: emulator.streamingUrl,
          VOICE_MEETINGS_URL: emulator.meetingsUrl,
          VOICE_MEETINGS_TOKEN: emulator.meetingsCredential,
        },
      })
      const page = await browser.newPage()
      try {
        await server.printed(String(port))
        await tryPage(page, url)
      } catch (error) {
        const shown = await page.innerText('body')
        const output = server.output().slice(-2_000)
        throw new Error(`The page showed:\n${shown}\nThe server printed:\n${output}`, { cause: error })
      } finally {
        await page.close()
        await server.stop()
      }
    }
  },
  900_000,
)
