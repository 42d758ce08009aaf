import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts } from '@stagepass/testing/freePorts'
import { startIn } from '@stagepass/testing/programs'
import { defaultClientConditions } from 'vite'
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
  for (const [, name] of `${server}${page}`.matchAll(/from '(?!node:)((?:@\w+\/)?[\w-]+)/g))
    expect(installed.split(/\s/)).toContain(name)
  const [, markup] = /^```html\n([\s\S]*?)^```/m.exec(readText('README.md')) ?? []
  // Only the port differs, because 3000 may be in use.
  const ports = await freePorts(2)
  const [port] = ports
  expect(server).toContain(".listen(3000, '127.0.0.1'")
  const files = {
    ...Object.fromEntries(ports.map((one) => [`${one}.ts`, server?.replaceAll('3000', String(one))])),
    'index.html': markup,
    'main.tsx': page,
    // The packages are those of this repository, from their sources.
    'vite.config.ts': `export default ${JSON.stringify({
      logLevel: 'error',
      cacheDir: '.vite',
      resolve: { conditions: ['@stagepass/source', ...defaultClientConditions] },
      server: { watch: null },
    })}`,
  }
  for (const [name, text = ''] of Object.entries(files)) writeFileSync(join(folder, name), text)

  // Two of them, because a developer has more than one application.
  const node = ['--import', 'tsx', '--conditions=@stagepass/source']
  const programs = ports.map((one) => startIn(folder, process.execPath, [...node, `${one}.ts`]))
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({ permissions: ['microphone'] })
    const tab = await context.newPage()
    const asked: string[] = []
    tab.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await Promise.all(programs.map((program, at) => program.printed(`http://localhost:${ports[at]}`)))
    await tab.goto(`http://127.0.0.1:${port}`)
    await tab.goto(`http://localhost:${port}`)
    const speak = tab.getByRole('button', { name: 'Speak' })
    await speak.waitFor()
    expect(asked).not.toContain('/api/voice/session-token')
    await speak.click()
    await tab.getByText(/^Good morning/).waitFor()
    await tab.getByRole('button', { name: 'Stop' }).click()
    await speak.waitFor()
    for (const program of programs) expect(program.output()).not.toMatch(/in use/)
  } catch (error) {
    const printed = programs.map((program) => program.output()).join('')
    throw new Error(`The servers printed:\n${printed}`, { cause: error })
  } finally {
    await browser.close()
    await Promise.all(programs.map((program) => program.stop()))
  }
})
