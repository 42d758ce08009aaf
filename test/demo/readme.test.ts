import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@stagepass/testing/freePorts'
import { startIn } from '@stagepass/testing/programs'
import react from '@vitejs/plugin-react'
import { createServer, defaultClientConditions } from 'vite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { programsOf, ROOT } from '../docs/programs.js'
import { readText } from '../docs/repositoryFiles.js'
import { openBrowser } from './support/openBrowser.js'

let folder: string
beforeEach(() => {
  // Inside the repository, so that the packages are found.
  folder = mkdtempSync(`${ROOT}.cache/readme-`)
})
afterEach(() => rmSync(folder, { recursive: true }))

it('the server and the page of the README run unchanged', async () => {
  const [server, page, ...others] = programsOf('README.md').map(({ code }) => code)
  expect(others).toEqual([])
  const [installed = ''] = /npm pkg set type=module\n(?:npm install .*\n)+/.exec(readText('README.md')) ?? []
  for (const [, name] of `${server}${page}`.matchAll(/from '((?:@\w+\/)?[\w-]+)/g))
    expect(installed.split(/\s/)).toContain(name)
  // Only the port differs, because 3000 may be in use.
  const port = await freePort('localhost')
  expect(server).toContain('.listen(3000)')
  const files = {
    'server.ts': server?.replace('3000', String(port)),
    'App.tsx': page,
    'main.tsx': `import { createRoot } from 'react-dom/client'\nimport { App } from './App.js'\ncreateRoot(document.body).render(<App />)`,
    'index.html':
      '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="main.tsx"></script>',
  }
  for (const [name, text = ''] of Object.entries(files)) writeFileSync(join(folder, name), text)

  const program = startIn(folder, process.execPath, [
    '--import',
    'tsx',
    '--conditions=@stagepass/source',
    'server.ts',
  ])
  const vite = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    cacheDir: '.vite',
    plugins: [react()],
    resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
    server: {
      host: 'localhost',
      port: await freePort('localhost'),
      proxy: { '/api/voice': { target: `http://localhost:${port}`, changeOrigin: false } },
      hmr: false,
      watch: null,
    },
  })
  const browser = await openBrowser()
  try {
    await vite.listen()
    const context = await browser.newContext({ permissions: ['microphone'] })
    const tab = await context.newPage()
    const asked: string[] = []
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await tab.goto(vite.resolvedUrls?.local[0] ?? '')
    const speak = tab.getByRole('button', { name: 'Speak' })
    await speak.waitFor()
    expect(asked).not.toContain('/api/voice/session-token')
    await speak.click()
    await tab.getByText(/^Good morning/).waitFor()
    await tab.getByRole('button', { name: 'Stop' }).click()
    await speak.waitFor()
  } catch (error) {
    throw new Error(`The server printed:\n${program.output()}`, { cause: error })
  } finally {
    await browser.close()
    await vite.close()
    await program.stop()
  }
})
