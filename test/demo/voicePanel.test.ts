import { createEmulator } from '@stagepass/emulator'
import { findViolations } from '@stagepass/testing/findViolations'
import { expect, it } from 'vitest'
import { openBrowser } from './support/openBrowser.js'
import { startNewcomer, startNewcomersVite } from './support/startNewcomer.js'

const withPanel = (tsx: string): string =>
  `import { VoicePanel } from '@stagepass/react/devtools'\n${tsx.replace('<Captions />', '<Captions /><VoicePanel />')}`

it('axe finds nothing in the panel for developers, closed or open', async () => {
  await using service = await createEmulator()
  await using vite = await startNewcomersVite(withPanel)
  await using newcomer = await startNewcomer({ vite, service })
  const browser = await openBrowser()
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  await page.goto(newcomer.url)
  await page.getByRole('button', { name: 'Speak' }).click()
  await page.getByText('The stream is open.').waitFor()
  const closed = await findViolations(page, 'the button of the panel', 'button[aria-expanded="false"]')
  await page.getByRole('button', { name: 'Voice', exact: true }).click()
  const panel = page.getByRole('region', { name: 'Voice', exact: true })
  await panel.getByText('live no. 1').waitFor()
  await page.setViewportSize({ width: 390, height: 800 })
  await expect.poll(() => page.evaluate(() => window.innerWidth)).toBe(390)
  expect((await panel.boundingBox())?.x, 'whole on a phone').toBeGreaterThanOrEqual(0)
  const id = await panel.getAttribute('aria-labelledby')
  const open = await findViolations(page, 'the panel', `[aria-labelledby="${id}"]`)
  expect([...closed, ...open]).toEqual([])
  await browser.close()
})
