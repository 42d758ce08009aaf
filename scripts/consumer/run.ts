import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { say } from '../run.js'
import { BUILDS } from './builds/index.js'
import type { Case, Context } from './Case.js'
import { EXAMPLES } from './examples/index.js'
import { HOSTS } from './hosts/index.js'
import { findTarballs, packPackages } from './packPackages.js'
import { formatTable, isAsExpected, pageWith, readPage, type Result, writePage } from './table.js'

/*
 * Packs the packages as they would be published, installs the tarballs into applications outside the workspace, and does there what a
 * user does first. Without arguments it runs every case.
 *
 *   --quick         the cases of `npm run check`
 *   --only <text>   the cases with this text in their name; may be repeated
 *   --table <name>  the cases of one table, `builds` or `hosts`
 *   --check         fails if the tables of docs/hosts.md do not say what was seen
 *   --tarballs <folder>  takes the tarballs of this folder, instead of packing
 *   --list          only the names
 *   --keep          leaves the applications where they are
 *   --write         writes the results into the tables of docs/hosts.md; cases that did not run keep their row
 */

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

async function runAll(cases: readonly Case[], keep: boolean, packed: string | undefined): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-consumer-'))
  try {
    say(packed === undefined ? 'Packing' : `Tarballs of ${packed}`)
    const tarballs = packed === undefined ? await packPackages(folder) : findTarballs(resolve(packed))
    const context = { folder, tarballs }
    const results: Result[] = []
    for (const each of cases) results.push(await runCase(each, context))
    return results
  } finally {
    if (keep) console.log(`\nThe applications are in ${folder}.`)
    else rmSync(folder, { recursive: true, force: true })
  }
}

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    table: { type: 'string' },
    tarballs: { type: 'string' },
    check: { type: 'boolean' },
    list: { type: 'boolean' },
    keep: { type: 'boolean' },
    write: { type: 'boolean' },
  },
})
const {
  quick = false,
  only = [],
  table: one,
  check = false,
  write = false,
  list = false,
  keep = false,
} = values
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
  const results = await runAll(chosen, keep, values.tarballs)
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
