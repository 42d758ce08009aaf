import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { chromium } from 'playwright'
import { expect, it } from 'vitest'

const DOCS = fileURLToPath(new URL('../../docs', import.meta.url))

/** The address that the server prints. */
async function addressOf(output: AsyncIterable<Buffer>): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += String(chunk)
    const address = /http:\/\/localhost:\d+\//.exec(text)?.[0]
    if (address) return address
  }
  throw new Error(`Failed to serve the site: ${text}`)
}

it('the pages are served while they are written', async () => {
  const args = ['vitepress', 'dev', DOCS, '--port', '0']
  const env = { ...process.env, NODE_ENV: 'development', NO_COLOR: '1' }
  const server = spawn('npx', args, { env, detached: true })
  const browser = await chromium.launch(chromiumOptions())
  try {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    const address = await addressOf(server.stdout)
    server.stdout.resume()
    // A page of docs/, and one that stands elsewhere.
    for (const [path, heading] of [
      ['start/express.html', 'Start with Express'],
      ['packages/bff.html', '@stagepass/bff'],
    ] as const) {
      await page.goto(address + path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }
    expect((await page.request.get(`${address}openapi.yaml`)).status()).toBe(200)
    expect(problems).toEqual([])
  } finally {
    await browser.close()
    // The whole group: npx has started the server as its child.
    if (server.pid !== undefined) process.kill(-server.pid)
    await once(server, 'exit')
  }
})
