import { readFileSync } from 'node:fs'
import type { Case } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'
import { BASIC } from './basic.js'
import { PAGE } from './vite.js'

const TESTING = versionsOf('@testing-library/dom', '@testing-library/react')
/** The configuration of most applications that use Jest. */
const BABEL = "module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] }\n"
const JEST = "module.exports = { transformIgnorePatterns: ['/node_modules/(?!@stagepass/)'] }\n"

/** The environment of docs/test-your-app.md. */
const [, ENVIRONMENT = ''] =
  /^```js\n(const \{ TestEnvironment \}[\s\S]*?)^```/m.exec(readFileSync('docs/test-your-app.md', 'utf8')) ??
  []

const DONE = 'token; hooks in jsdom'

/** Without the file extension, because Jest resolves the import only then. */
const SERVER_TEST = `import { mintToken } from './mintToken'
declare const test: (name: string, run: () => Promise<void>) => void
test('mints a token', async () => {
  if ((await mintToken()) !== 'ok') throw new Error('wrong stream_url')
})
`

// This preset sets `allowJs`, so ts-jest also compiles the ES modules of the page's package.
const TS_JEST = `module.exports = {
  preset: 'ts-jest/presets/js-with-ts',
  transformIgnorePatterns: ['/node_modules/(?!@stagepass/)'],
}
`

const TS_CONFIG = {
  compilerOptions: { target: 'ES2022', module: 'CommonJS', esModuleInterop: true, allowJs: true },
}

/** TypeScript's oldest module resolution, as in old applications. */
const tsJestCase = (typescript: string): Case => ({
  name: `ts-jest ${VERSIONS['ts-jest']} with TypeScript ${typescript}, with that line`,
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
      files: {
        'jest.config.js': TS_JEST,
        'jest-environment.js': ENVIRONMENT,
        'tsconfig.json': TS_CONFIG,
        'server.spec.ts': SERVER_TEST,
      },
    })
    await app.runTool('jest', [])
    return DONE
  },
})

export const tests: readonly Case[] = [
  {
    name: `Jest ${VERSIONS.jest}, with the line of docs/test-your-app.md`,
    table: 'builds',
    quick: true,
    async run(context) {
      const app = await makeApp(context, {
        dependencies: {
          ...PAGE,
          ...TESTING,
          ...versionsOf('jest', 'jest-environment-jsdom', '@babel/preset-env'),
        },
        manifest: {},
        copy: ['modules', 'jest'],
        files: { 'babel.config.js': BABEL, 'jest.config.js': JEST, 'jest-environment.js': ENVIRONMENT },
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
