import type { Context } from '../Case.js'
import type { InstallerName } from '../installers.js'
import { type App, type AppOptions, makeApp } from '../makeApp.js'
import { versionsOf } from '../versions.js'

/** Compiler options of the applications. They also check the types of libraries. */
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

export interface BasicOptions extends Partial<AppOptions> {
  readonly installer?: InstallerName
}

/** Compiles a server that mints a token, and a page that is rendered, with `tsc`, and runs both in Node. */
export async function runBasic(context: Context, options: BasicOptions = {}): Promise<App> {
  const app = await makeApp(context, {
    dependencies: { ...BASIC, ...versionsOf('typescript') },
    copy: ['basic'],
    files: { 'tsconfig.json': { compilerOptions: STRICT_TYPES, include: ['*.ts', '*.tsx'] } },
    ...options,
  })
  await app.runTool('tsc', [])
  await app.runNode('out/server.js')
  await app.runNode('out/page.js')
  return app
}
