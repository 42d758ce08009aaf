import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '@stagepass/testing/freePorts'
import { chromiumOptions } from '@stagepass/testing/launchOptions'
import { runIn } from '@stagepass/testing/programs'
import { expect, it } from 'vitest'
import { programsOf, ROOT } from '../docs/programs.js'
import { readText } from '../docs/repositoryFiles.js'

const SAMPLE = `${ROOT}test/recipes/playwright/`

it('the tests of the guide pass in the application of "Start with Express"', async () => {
  // Inside the repository, so that the packages are found.
  mkdirSync(`${ROOT}.cache`, { recursive: true })
  const folder = mkdtempSync(`${ROOT}.cache/playwright-`)
  try {
    const port = String(await freePort('localhost'))
    const [, markup = ''] = /^```html\n([\s\S]*?)^```/m.exec(readText('docs/start/express.md')) ?? []
    for (const { file, code } of programsOf('docs/start/express.md'))
      writeFileSync(join(folder, file.split('/').at(-1) ?? ''), code.replaceAll('3000', port))
    writeFileSync(join(folder, 'index.html'), markup)
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    const spec = readFileSync(`${SAMPLE}voice.spec.ts`, 'utf8')
    writeFileSync(join(folder, 'voice.spec.ts'), spec.replaceAll('3000', port))
    copyFileSync(`${SAMPLE}playwright.config.ts`, join(folder, 'playwright.config.ts'))
    // Playwright's own Chromium may be missing.
    const { executablePath } = chromiumOptions()
    const config = `import config from './playwright.config.js'\nconfig.use!.launchOptions!.executablePath = ${JSON.stringify(executablePath)}\nexport default config\n`
    writeFileSync(join(folder, 'here.config.ts'), config)
    // The packages are those of this repository, from their sources.
    writeFileSync(
      join(folder, 'vite.config.js'),
      "export default { cacheDir: '.vite', resolve: { conditions: ['@stagepass/source', 'module', 'browser', 'development|production'] } }",
    )
    const env = { NODE_OPTIONS: '--conditions=@stagepass/source' }
    const output = await runIn(folder, 'npx', ['playwright', 'test', '--config', 'here.config.ts'], { env })
    expect(output).toContain('2 passed')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
