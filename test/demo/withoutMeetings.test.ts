import { BFF_ERRORS } from '@stagepass/contract'
import { createEmulator } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { startBuiltDemo } from './support/startBuiltDemo.js'

it('reports that there are no meetings to show and no faults to inject', async () => {
  await using upstream = await createEmulator()
  await using demo = await startBuiltDemo({
    VOICE_API_KEY: upstream.apiKey,
    VOICE_BASE_URL: upstream.baseUrl,
    VOICE_STREAMING_URL: upstream.streamingUrl,
  })
  const browser = await openBrowser()
  const page = await browser.newPage()
  const ui = new DemoPage(page)
  await page.goto(`${demo.url}?show=meetings`)
  await ui.meetings().getByText(BFF_ERRORS.FORBIDDEN.title).waitFor()
  const drawer = await ui.openFaults()
  expect(await drawer.textContent()).toContain('This is the real service')
  expect(await drawer.getByRole('button', { name: 'Expire all tokens now' }).count()).toBe(0)
  await browser.close()
})
