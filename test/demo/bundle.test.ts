import { readdirSync, readFileSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { placesOf } from './support/searchPage.js'
import { startDemo } from './support/startDemo.js'

const { outDir, secrets } = inject('demo')
const names = readdirSync(outDir, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name))
const files = new Map(names.map((name) => [name, readFileSync(`${outDir}/${name}`, 'latin1')]))

it('holds the page, the worklets and the recordings', () => {
  expect(names.some((name) => /^assets\/index-.*\.js$/.test(name))).toBe(true)
  expect(names.some((name) => /^assets\/capture\.worklet-.*\.js$/.test(name))).toBe(true)
  expect(names.some((name) => /^assets\/playback\.worklet-.*\.js$/.test(name))).toBe(true)
  expect(names).toContain('recordings/sense-and-sensibility.wav')
})

it('holds no secret', () => {
  expect(secrets).toHaveLength(2)
  for (const secret of secrets) expect(placesOf(secret, files)).toEqual([])
})

it.each([
  ['the BFF', 'packages/budget/src/waiting/Budget.ts', 'Failed to get a slot of the budget'],
  ['the emulator', 'packages/emulator/src/node/createEmulator.ts', 'Failed to start the emulator'],
  ['the server of the demo', 'examples/demo/server/openUpstream.ts', 'Failed to start the demo'],
  ['the schema library', 'node_modules/zod/v4/core/errors.js', '$ZodError'],
  ['the sentences for development', 'packages/react/src/meetings/useMeetings.ts', 'does not know the option'],
  ['Express', 'node_modules/express/lib/application.js', 'x-powered-by'],
])('holds nothing of %s', (_name, source, marker) => {
  expect(readFileSync(source, 'utf8')).toContain(marker)
  expect([...files].filter(([, text]) => text.includes(marker)).map(([name]) => name)).toEqual([])
})

it('works in `vite preview` under a strict Content-Security-Policy, microphone and all', async () => {
  await using demo = await startDemo({ command: 'preview', args: ['--outDir', `../../${outDir}`] })
  const browser = await openBrowser()
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  const response = await page.goto(demo.url)
  const policy = response?.headers()['content-security-policy']
  expect(policy).toContain("script-src 'self'")
  expect(policy).not.toMatch(/'unsafe|blob:|data:/)

  const ui = new DemoPage(page)
  await ui.speak('stt')
  await ui.card('stt').getByText('You are heard.', { exact: true }).waitFor()
  // Chromium's microphone beeps twice a second. Half a second of silence ends a sentence, which has one word
  // if a beep is late on a busy machine.
  await expect.poll(() => ui.card('stt').getByRole('list').innerText()).toMatch(/^Good\b/)
  expect(problems).toEqual([])
  await browser.close()
})
