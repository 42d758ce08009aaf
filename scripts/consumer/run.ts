import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '../options.js'
import { provideTarballs } from '../pack.js'
import { STARTER } from '../packages.js'
import { say } from '../run.js'
import { BUILDS } from './builds/index.js'
import type { Case, Context } from './Case.js'
import { EXAMPLES } from './examples/index.js'
import { HOSTS } from './hosts/index.js'
import { formatTable, isAsExpected, pageWith, readPage, type Result, writePage } from './table.js'

const USAGE = `npx tsx scripts/consumer/run.ts

Packs the packages as they would be published, installs the tarballs into applications outside the workspace, and does there what a user does
first. Without options it runs every case. If the variable TARBALLS names a folder, it takes the tarballs of that.

  --quick         the cases of npm run check
  --only <text>   the cases with this text in their name; may be repeated
  --table <name>  the cases of one table, builds or hosts
  --check         fails if the tables of docs/hosts.md do not say what was seen
  --list          only the names
  --keep          leaves the applications where they are
  --write         writes the results into the tables of docs/hosts.md; cases that did not run keep their row`

const CASES: readonly Case[] = [...BUILDS, ...EXAMPLES, ...HOSTS]

async function runCase(tried: Case, context: Context): Promise<Result> {
  const started = performance.now()
  say(tried.name)
  try {
    const done = await tried.run(context)
    console.log(`  ${done} (${Math.round((performance.now() - started) / 1_000)} s)`)
    return { tried, done, error: '' }
  } catch (thrown) {
    const error = thrown instanceof Error ? [thrown.message, thrown.cause].join('\n') : String(thrown)
    const result = { tried, done: '', error }
    console.log(isAsExpected(result) ? `  cannot: ${tried.cannot?.reason ?? ''}` : error)
    return result
  }
}

async function runAll(cases: readonly Case[], keep: boolean): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-consumer-'))
  try {
    say('The tarballs')
    const { [STARTER]: starter, ...tarballs } = await provideTarballs(folder)
    const context = { folder, tarballs, starter }
    const results: Result[] = []
    for (const each of cases) results.push(await runCase(each, context))
    return results
  } finally {
    if (keep) console.log(`\nThe applications are in ${folder}.`)
    // Half a million files: Node's own function needs minutes for them.
    else spawnSync('rm', ['-rf', folder])
  }
}

const { values } = readOptions(USAGE, {
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    table: { type: 'string' },
    check: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const { quick, only, table: one, check, write, list, keep } = values
const isChosen = ({ name, table, quick: isQuick = false }: Case): boolean =>
  (!quick || isQuick) &&
  (one === undefined || one === table) &&
  (only.length === 0 || only.some((text) => name.toLowerCase().includes(text.toLowerCase())))
const chosen = CASES.filter(isChosen)

if (list) {
  for (const { name } of chosen) console.log(name)
} else if (chosen.length === 0) {
  console.error(`Failed to find a case: none has ${only.join(' or ')} in its name. Try --list.`)
  process.exitCode = 1
} else {
  const results = await runAll(chosen, keep)
  console.log(`\n${formatTable(results)}`)
  const failed = results.filter((result) => !isAsExpected(result))
  if (failed.length > 0) {
    console.error(`\nFailed:\n  ${failed.map(({ tried }) => tried.name).join('\n  ')}`)
    process.exitCode = 1
  } else if (check || write) {
    for (const table of ['builds', 'hosts'] as const) {
      const cases = CASES.filter((each) => each.table === table)
      const page = pageWith(table, cases, results)
      if (write) writePage(page)
      else if (page !== readPage()) {
        console.error(`The table of ${table} in docs/hosts.md is not what was seen. Run this with --write.`)
        process.exitCode = 1
      }
    }
  }
}
