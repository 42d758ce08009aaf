import type { Case } from '../Case.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'
import { BASIC, runBasic } from './basic.js'

const DONE = 'types, token, page'

/**
 * An application with older peers, to which the tarballs are added. npm refuses a range that does not match.
 */
const older = (reactQuery: string, react: string, types: string): Case => ({
  name: `react-query ${reactQuery} and React ${react}, installed before`,
  table: 'builds',
  async run(context) {
    const before = {
      ...BASIC,
      ...versionsOf('typescript'),
      '@tanstack/react-query': reactQuery,
      '@types/react': types,
      '@types/react-dom': types.startsWith('18') ? '18.3.7' : types,
      react,
      'react-dom': react,
    }
    await runBasic(context, { before, dependencies: {} })
    return DONE
  },
})

export const install: readonly Case[] = [
  {
    name: 'npm, as it comes with Node',
    table: 'builds',
    quick: true,
    async run(context) {
      const app = await runBasic(context)
      await app.runTool('stagepass-emulator', ['--help'])
      return DONE
    },
  },
  {
    name: `pnpm ${VERSIONS.pnpm}, strict: no hoisting, no missing peers`,
    table: 'builds',
    async run(context) {
      await runBasic(context, { installer: 'pnpm' })
      return DONE
    },
  },
  {
    name: `Yarn ${VERSIONS['@yarnpkg/cli-dist']}, Plug'n'Play`,
    table: 'builds',
    async run(context) {
      await runBasic(context, { installer: 'yarn', dependencies: { ...BASIC, typescript: '5.9.3' } })
      return `${DONE}; TypeScript 5.9.3`
    },
  },
  {
    name: `Yarn ${VERSIONS['@yarnpkg/cli-dist']}, Plug'n'Play, TypeScript ${VERSIONS.typescript}`,
    table: 'builds',
    cannot: {
      reason:
        "this TypeScript does not read Plug'n'Play, whatever the package. Use 5.9, or `nodeLinker: node-modules`.",
      error: "Cannot find type definition file for 'node'",
    },
    async run(context) {
      await runBasic(context, { installer: 'yarn' })
      return DONE
    },
  },
  {
    name: `Bun ${VERSIONS.bun} as installer`,
    table: 'builds',
    async run(context) {
      await runBasic(context, { installer: 'bun' })
      return DONE
    },
  },
  older(OTHER_VERSIONS.reactQuery[0], '18.2.0', '18.3.8'),
  older(OTHER_VERSIONS.reactQuery[1], VERSIONS.react, VERSIONS['@types/react']),
]
