import { run, say } from './run.js'

const PACKAGES = ['contract', 'emulator', 'bff', 'react'].map((name) => `packages/${name}`)

say('Types of the packages as they are published')
let code = await run('npx', ['tsc', '-b', ...PACKAGES])
say('Types of everything, tests, examples and scripts included')
code ||= await run('npx', ['tsc', '-p', '.'])
process.exitCode = code
