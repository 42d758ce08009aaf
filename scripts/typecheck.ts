import { PACKAGES } from './packages.js'
import { run, say } from './run.js'

say('Types of the packages as they are published')
let code = await run('npx', ['tsc', '-b', ...PACKAGES.map((name) => `packages/${name}`)])
say('Types of everything, tests, examples and scripts included')
code ||= await run('npx', ['tsc', '-p', '.'])
say("Types of the emulator's core, and of the emulator in the page, without those of Node")
code ||= await run('npx', ['tsc', '-p', 'packages/emulator/tsconfig.core.json'])
say('Types of the BFF in Cloudflare Workers and in a page, without those of Node')
code ||= await run('npx', ['tsc', '-p', 'packages/bff/tsconfig.core.json'])
for (const [name, program] of [
  ['next-app', 'next'],
  ['react-router', 'react-router'],
] as const) {
  say(`Types of examples/${name}`)
  code ||= await run('npm', ['exec', '-w', `@stagepass/example-${name}`, '--', program, 'typegen'])
  code ||= await run('npx', ['tsc', '-p', `examples/${name}`, '--customConditions', '@stagepass/source'])
}
process.exitCode = code
