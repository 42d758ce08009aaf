import type { Case } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS } from '../versions.js'
import { BASIC, STRICT_TYPES } from './basic.js'

const BUNDLER = { module: 'ESNext', moduleResolution: 'bundler' }
/**
 * The default resolution of TypeScript 5 and of ts-jest. It ignores `exports`. Zod's types need the third
 * setting, which `tsc --init` writes.
 */
const NODE10 = { module: 'CommonJS', moduleResolution: 'node10', esModuleInterop: true }

const ALL = ['server.ts', 'page.tsx', 'queries.tsx']
/** Only a server in CommonJS, because the packages for pages have only ES modules. */
const SERVER = ['commonjs/main.ts']

/** Modes of resolution, each with its own configuration. */
const modesOf = (version: string): Readonly<Record<string, object>> => ({
  NodeNext: { compilerOptions: STRICT_TYPES, include: ALL },
  bundler: { compilerOptions: { ...STRICT_TYPES, ...BUNDLER }, include: ALL },
  'CommonJS by NodeNext': { compilerOptions: STRICT_TYPES, include: SERVER },
  'by Node16': { compilerOptions: { ...STRICT_TYPES, module: 'Node16' }, include: SERVER },
  ...(version.startsWith('5.') && {
    'by node10': { compilerOptions: { ...STRICT_TYPES, ...NODE10 }, include: SERVER },
  }),
})

const typesCase = (version: string): Case => ({
  name: `TypeScript ${version}`,
  table: 'builds',
  quick: version.startsWith('5.4') || version === VERSIONS.typescript,
  async run(context) {
    const app = await makeApp(context, {
      dependencies: { ...BASIC, typescript: version },
      copy: ['basic', 'tests'],
    })
    app.write({
      'commonjs/package.json': { type: 'commonjs' },
      'out/commonjs/package.json': { type: 'commonjs' },
      'commonjs/main.ts': app.read('main.ts'),
      'commonjs/mintToken.ts': app.read('mintToken.ts'),
    })
    const modes = modesOf(version)
    for (const [name, config] of Object.entries(modes)) {
      app.write({ 'tsconfig.json': config })
      await app.runTool('tsc', []).catch((thrown: unknown) => {
        throw new Error(`Resolution ${name}`, { cause: thrown })
      })
      if (name.includes('by')) await app.runNode('out/commonjs/main.js')
    }
    return Object.keys(modes).join(', ')
  },
})

export const types: readonly Case[] = [...OTHER_VERSIONS.typescript, VERSIONS.typescript].map(typesCase)
