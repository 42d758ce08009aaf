import { createEmulator, type Emulator, refuse } from '@stagepass/emulator'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test as base, expect } from 'playwright/test'

/** The service in the process of the test, and your server with its addresses. */
const test = base.extend<{ service: Emulator }>({
  service: async ({}, provide) => {
    await using service = await createEmulator()
    const env = {
      ...process.env,
      VOICE_API_KEY: service.apiKey,
      VOICE_BASE_URL: service.baseUrl,
      VOICE_STREAMING_URL: service.streamingUrl,
    }
    const server = spawn(process.execPath, ['--import', 'tsx', 'server.ts'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(server.stdout, 'data') // it prints its address
    await provide(service)
    server.kill()
    await once(server, 'exit')
  },
})

test('captions go on after a lost connection', async ({ page, service }) => {
  await page.goto('http://localhost:3000')
  await page.getByRole('button', { name: 'Speak' }).click()
  await expect(page.locator('#captions')).toContainText('Good morning')
  service.sockets[0]?.drop()
  await expect.poll(() => service.counts.handshake).toBe(2)
  await expect(page.getByText('The stream is open.')).toBeVisible()
})

test('a refused stream says so', async ({ page, service }) => {
  service.use(refuse(402))
  await page.goto('http://localhost:3000')
  await page.getByRole('button', { name: 'Speak' }).click()
  await expect(page.getByRole('alert')).toContainText('ended the connection with an error')
})
