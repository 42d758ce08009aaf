import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { chromium, type Browser } from 'playwright'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packPackages } from '../../scripts/consumer/packPackages.js'
import { runIn, startIn, type Running } from '../../scripts/consumer/runIn.js'
import { type LocalRegistry, startRegistry } from '../../scripts/release/registry.js'
import { provideTools } from '../../scripts/release/tools.js'
import { filesEndingIn } from '../docs/repositoryFiles.js'
import { readAddress, readSteps } from './readSteps.js'

/*
 * The start pages, step by step in an empty folder, as a new user does it: the packages come from a registry by their names. `npm run check:slow` runs this.
 * A page keeps to what readSteps.ts says. The page that it builds has a button "Speak" and shows the captions in an element with `aria-live`.
 */

const PAGES = filesEndingIn(/\.md$/, 'docs/start/')

const folders: string[] = []
const emptyFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-start-'))
  folders.push(folder)
  return folder
}

let registry: LocalRegistry
let browser: Browser
beforeAll(async () => {
  provideTools()
  registry = await startRegistry()
  await registry.publish(Object.values(await packPackages(emptyFolder())))
  // Chromium's own stand-in for a microphone beeps; it is allowed without asking.
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
  })
}, 600_000)
afterAll(async () => {
  await browser?.close()
  await registry?.[Symbol.asyncDispose]()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}, 60_000)

/** Does what the page says, in an empty folder. The last commands go on: they are the server. */
async function follow(page: string): Promise<Running> {
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
  return startIn(folder, 'sh', ['-ec', last?.type === 'run' ? last.commands : ''], { env: registry.env })
}

/** Settles when the server answers. Rejects with what it printed if it ends before. */
async function answers(server: Running, url: string): Promise<void> {
  await server.printed(new URL(url).port)
  await expect.poll(() => fetch(url).then(({ status }) => status, String)).toBe(200)
}

it.each(PAGES)(
  '%s leads to captions in the page',
  async (path) => {
    const text = readFileSync(path, 'utf8')
    const url = readAddress(text)
    const server = await follow(text)
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
      await page.getByRole('button', { name: 'Speak' }).click({ timeout: 60_000 })
      const captions = page.locator('[aria-live]').first()
      await expect.poll(() => captions.innerText(), { timeout: 60_000 }).toMatch(/\w+ \w+/)
      expect(errors).toEqual([])
      await page.close()
    } catch (error) {
      throw new Error(`The server printed:\n${server.output().slice(-2_000)}`, { cause: error })
    } finally {
      await server.stop()
    }
  },
  900_000,
)
