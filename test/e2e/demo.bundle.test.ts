import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { createEmulator } from '@stagepass/emulator'
import type { Emulator } from '@stagepass/emulator'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { placesOf } from './support/searchPage.js'
import { runVite, startDemo } from './support/startDemo.js'

const outDir = '.cache/e2e-bundle'
let upstream: Emulator
let files: Map<string, string>

beforeAll(async () => {
  upstream = await createEmulator()
  // Built where the secrets are in the environment, as on a server that builds and runs.
  await runVite(['build', '--outDir', `../../${outDir}`, '--emptyOutDir'], {
    VOICE_API_KEY: upstream.apiKey,
    VOICE_MEETINGS_TOKEN: upstream.meetingsCredential,
  })
  const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  )
  files = new Map(names.map((name) => [name, readFileSync(`${outDir}/${name}`, 'latin1')]))
})

afterAll(async () => {
  await upstream?.close()
  rmSync(outDir, { recursive: true, force: true })
})

it('holds the page, the worklet and the recordings', () => {
  const names = [...files.keys()]
  expect(names.some((name) => /^assets\/index-.*\.js$/.test(name))).toBe(true)
  expect(names.some((name) => /^assets\/capture\.worklet-.*\.js$/.test(name))).toBe(true)
  expect(names).toContain('recordings/sense-and-sensibility.wav')
})

it('holds no secret', () => {
  expect(placesOf(upstream.apiKey, files)).toEqual([])
  expect(placesOf(upstream.meetingsCredential, files)).toEqual([])
})

it.each([
  ['the BFF', 'packages/bff/src/budget/Budget.ts', 'Failed to get a slot of the meetings budget'],
  ['the emulator', 'packages/emulator/src/node/createEmulator.ts', 'Failed to start the emulator'],
  ['the server of the demo', 'examples/demo/server/openUpstream.ts', 'Failed to start the demo'],
  ['the schema library', 'node_modules/zod/v4/core/errors.js', '$ZodError'],
  ['Express', 'node_modules/express/lib/application.js', 'x-powered-by'],
])('holds nothing of %s', (_name, source, marker) => {
  expect(readFileSync(source, 'utf8')).toContain(marker)
  expect([...files].filter(([, text]) => text.includes(marker)).map(([name]) => name)).toEqual([])
})

it('works under a strict Content-Security-Policy, microphone and all', async () => {
  await using demo = await startDemo({ command: 'preview', args: ['--outDir', `../../${outDir}`] })
  const browser = await openBrowser()
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const response = await page.goto(demo.url)
  const policy = response?.headers()['content-security-policy']
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/unsafe|blob:|data:/)

  const ui = new DemoPage(page)
  await ui.connect('stt')
  await ui.panel('stt').getByRole('button', { name: 'Microphone' }).click()
  await ui.panel('stt').getByRole('button', { name: 'Stop microphone' }).waitFor()
  await ui.panel('stt').getByText('Good morning').waitFor()
  expect(problems).toEqual([])
  await browser.close()
})
