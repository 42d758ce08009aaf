import { run } from '../run.js'
import { provideTools, toolPath } from './tools.js'

/* Asks which packages a change concerns and what it is, and writes a file of .changeset: `npm run changeset`. */

provideTools()
process.exitCode = await run(toolPath('changeset'), process.argv.slice(2))
