import { providePrograms } from './programs.js'
import { run } from './run.js'

/*
 * Runs the tests of the budget with random input on ten times the seeds of `npm test`. Arguments are passed
 * on to vitest.
 */

const TESTS = ['packages/budget/src/redis/scriptAndCore', 'packages/budget/src/model/runModel']

const env = { ...(await providePrograms()), SEED_FACTOR: '10' }
const options = ['--project', 'node', ...process.argv.slice(2)]
process.exitCode = await run('npx', ['vitest', 'run', ...options, ...TESTS], env)
