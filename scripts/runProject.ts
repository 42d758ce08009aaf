import { provideBackends, provideEngines, providePostgres, providePrograms } from './programs.js'
import { run } from './run.js'

/*
 * Runs one project of vite.config.ts, also one that is not in `npm test`: `npx tsx scripts/runProject.ts
 * 'every code'`. Further arguments are passed on to vitest.
 */

const [project = '', ...rest] = process.argv.slice(2)
if (project === 'any backend') await provideBackends()
const env = {
  ...(await providePrograms()),
  ...(await provideEngines()),
  ...(project === 'postgres' && { INITDB_PATH: await providePostgres() }),
  SLOW_TESTS: 'yes',
}
process.exitCode = await run('npx', ['vitest', 'run', '--project', project, ...rest], env)
