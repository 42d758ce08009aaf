import { createEmulator } from '@stagepass/emulator'
import { expect, it, vi } from 'vitest'
import { DemoPage } from './support/DemoPage.js'
import { openBrowser } from './support/openBrowser.js'
import { startBuiltDemo } from './support/startBuiltDemo.js'
import { variablesOf } from './support/startDemo.js'

it('two tabs cost one token request and hold a stream each, also after a renewal', async () => {
  const upstream = await createEmulator()
  const browser = await openBrowser()
  try {
    await using demo = await startBuiltDemo(variablesOf(upstream))
    const context = await browser.newContext()
    const tabs: DemoPage[] = []
    let requests = 0
    for (let count = 0; count < 2; count += 1) {
      const page = await context.newPage()
      page.on('request', (request) => {
        if (request.url().endsWith('/session-token')) requests += 1
      })
      await page.goto(demo.url)
      tabs.push(new DemoPage(page))
    }
    const [first, second] = tabs as [DemoPage, DemoPage]
    await first.connect('stt')
    await second.connect('stt')
    expect({ requests, tokens: upstream.tokens.size, sockets: upstream.sockets.length }).toEqual({
      requests: 1,
      tokens: 1,
      sockets: 2,
    })

    await first.panel('stt').getByRole('button', { name: 'Renew now' }).click()
    await vi.waitFor(() => expect(upstream.tokens.size).toBe(2), 10_000)
    for (const tab of tabs) expect(await tab.status('stt').getAttribute('data-status')).toBe('open')
    expect(requests).toBe(2)
  } finally {
    await browser.close()
    await upstream.close()
  }
})
