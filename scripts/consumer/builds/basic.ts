import type { Case, Context } from '../Case.js'
import type { App } from '../makeApp.js'
import { makeApp } from '../makeApp.js'
import type { InstallerName } from '../installers.js'
import { VERSIONS, versionsOf } from '../versions.js'

/** The options with which an application is type-checked: library types too. */
export const STRICT_TYPES = {
  target: 'ES2022',
  lib: ['ES2023', 'DOM', 'DOM.Iterable'],
  types: ['node'],
  module: 'NodeNext',
  jsx: 'react-jsx',
  strict: true,
  skipLibCheck: false,
  outDir: 'out',
  rootDir: '.',
} as const

export const BASIC = versionsOf(
  '@tanstack/react-query',
  '@types/express',
  '@types/node',
  '@types/react',
  '@types/react-dom',
  'express',
  'react',
  'react-dom',
)

const tsconfig = { compilerOptions: STRICT_TYPES, include: ['*.ts', '*.tsx'] }

/** A server that mints a token, and a page that is rendered. Compiled by `tsc`, run by Node. */
async function runBasic(context: Context, installer: InstallerName): Promise<App> {
  const app = await makeApp(context, {
    dependencies: { ...BASIC, ...versionsOf('typescript') },
    copy: ['basic'],
    files: { 'tsconfig.json': tsconfig },
    installer,
  })
  await app.runTool('tsc', [])
  await app.run('node', ['out/server.js'])
  await app.run('node', ['out/page.js'])
  return app
}

export const basic: readonly Case[] = [
  {
    name: `npm ${process.versions.node.split('.')[0] ?? ''}`,
    table: 'builds',
    quick: true,
    async run(context) {
      const app = await runBasic(context, 'npm')
      await app.runTool('stagepass-emulator', ['--help'])
      return `TypeScript ${VERSIONS.typescript}`
    },
  },
]
