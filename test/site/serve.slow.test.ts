import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { runIn } from '@stagepass/testing/programs'
import { chromium } from 'playwright'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const DOCS = `${ROOT}docs`

/** The address that the server prints. All output is read, because a server that cannot print exits. */
function addressOf(server: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let text = ''
  return new Promise((resolve, reject) => {
    server.stdout.on('data', (chunk: Buffer) => {
      text += String(chunk)
      const address = /http:\/\/localhost:\d+\//.exec(text)?.[0]
      if (address) resolve(address)
    })
    server.once('exit', () => reject(new Error(`Failed to serve the site: ${text}`)))
  })
}

it('the pages are served while they are edited', async () => {
  await runIn(ROOT, 'npx', ['tsx', '--conditions=@stagepass/source', 'docs/generate/write.ts'])
  const args = ['vitepress', 'dev', DOCS, '--port', '0']
  const env = { ...process.env, NODE_ENV: 'development', NO_COLOR: '1' }
  const server = spawn('npx', args, { env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(server, 'exit')
  const browser = await chromium.launch(chromiumOptions())
  try {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', ({ message }) => problems.push(message))
    const address = await addressOf(server)
    // A page of docs/, and a page of another folder.
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
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid)
    await ended
  }
})
