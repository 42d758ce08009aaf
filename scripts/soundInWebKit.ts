import { provideEngines, providePrograms } from './programs.js'
import { run } from './run.js'

/* Runs the tests of sound in WebKitGTK, which are not in `npm test` (docs/browsers.md says why). Arguments are passed on to vitest. */

const env = { ...(await providePrograms()), ...(await provideEngines()) }
process.exitCode = await run(
  'npx',
  ['vitest', 'run', '--project', 'webkit, sound', ...process.argv.slice(2)],
  env,
)
