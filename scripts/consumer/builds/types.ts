import type { Case } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS } from '../versions.js'
import { BASIC, STRICT_TYPES } from './basic.js'

const BUNDLER = { module: 'ESNext', moduleResolution: 'bundler' }
/**
 * What TypeScript 5 does if nobody names a resolution, and ts-jest too. It reads no `exports`. Zod's types
 * need the third setting, which `tsc --init` writes.
 */
const NODE10 = { module: 'CommonJS', moduleResolution: 'node10', esModuleInterop: true }

/**
 * Modes of resolution, each with a configuration of its own. In CommonJS there is no `await` at the top of
 * server.ts.
 */
const modesOf = (version: string): Readonly<Record<string, object>> => ({
  NodeNext: { compilerOptions: STRICT_TYPES, include: ['*.ts', '*.tsx'] },
  bundler: { compilerOptions: { ...STRICT_TYPES, ...BUNDLER }, include: ['*.ts', '*.tsx'] },
  CommonJS: { compilerOptions: STRICT_TYPES, include: ['commonjs/*'] },
  ...(version.startsWith('5.') && {
    node10: { compilerOptions: { ...STRICT_TYPES, ...NODE10 }, include: ['commonjs/*'] },
  }),
})

const typesCase = (version: string): Case => ({
  name: `TypeScript ${version}`,
  table: 'builds',
  quick: version.startsWith('5.4') || version === VERSIONS.typescript,
  async run(context) {
    const app = await makeApp(context, {
      dependencies: { ...BASIC, typescript: version },
      copy: ['basic'],
    })
    app.write({
      'commonjs/package.json': { type: 'commonjs' },
      'commonjs/page.tsx': app.read('page.tsx'),
      'commonjs/queries.tsx': app.read('queries.tsx'),
    })
    const modes = modesOf(version)
    for (const [name, config] of Object.entries(modes)) {
      app.write({ 'tsconfig.json': config })
      await app.runTool('tsc', ['--noEmit']).catch((thrown: unknown) => {
        throw new Error(`Resolution ${name}`, { cause: thrown })
      })
    }
    return Object.keys(modes).join(', ')
  },
})

export const types: readonly Case[] = [...OTHER_VERSIONS.typescript, VERSIONS.typescript].map(typesCase)
