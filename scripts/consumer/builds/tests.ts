import type { Case } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'
import { BASIC } from './basic.js'
import { PAGE } from './vite.js'

const TESTING = versionsOf('@testing-library/dom', '@testing-library/react')
const DONE = 'token; hooks in jsdom'

/** Jest finds a file without its ending, and only so. */
const SERVER_TEST = `import { mintToken } from './mintToken'
declare const test: (name: string, run: () => Promise<void>) => void
test('mints a token', async () => {
  if ((await mintToken()) !== 'ok') throw new Error('wrong stream_url')
})
`

/** The types of ts-jest's own default: no tsconfig.json, and TypeScript's oldest resolution. */
const tsJestCase = (typescript: string): Case => ({
  name: `ts-jest ${VERSIONS['ts-jest']} with TypeScript ${typescript}, default settings`,
  table: 'builds',
  async run(context) {
    const app = await makeApp(context, {
      dependencies: {
        ...BASIC,
        ...TESTING,
        ...versionsOf('jest', 'jest-environment-jsdom', 'ts-jest'),
        typescript,
      },
      manifest: {},
      copy: ['tests'],
      files: { 'jest.config.js': "module.exports = { preset: 'ts-jest' }\n", 'server.spec.ts': SERVER_TEST },
    })
    // TypeScript 5 does not let a CommonJS module be imported by default, unless an option says so.
    if (typescript.startsWith('5.'))
      app.write({ 'mintToken.ts': app.read('mintToken.ts').replace('import express', 'import * as express') })
    await app.runTool('jest', [])
    return DONE
  },
})

export const tests: readonly Case[] = [
  {
    name: `Jest ${VERSIONS.jest}, default settings`,
    table: 'builds',
    quick: true,
    async run(context) {
      const app = await makeApp(context, {
        dependencies: { ...PAGE, ...TESTING, ...versionsOf('jest', 'jest-environment-jsdom') },
        manifest: {},
        copy: ['modules', 'jest'],
      })
      await app.runTool('jest', [])
      return DONE
    },
  },
  tsJestCase(OTHER_VERSIONS.typescript[1]),
  tsJestCase(OTHER_VERSIONS.typescript[2]),
  {
    name: `Vitest ${VERSIONS.vitest}`,
    table: 'builds',
    async run(context) {
      const app = await makeApp(context, {
        dependencies: { ...PAGE, ...TESTING, ...versionsOf('vitest', 'jsdom') },
        copy: ['tests'],
        files: { 'server.spec.ts': SERVER_TEST },
      })
      await app.runTool('vitest', ['run', '--globals'])
      return DONE
    },
  },
]
