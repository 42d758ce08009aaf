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
process.exitCode = code
