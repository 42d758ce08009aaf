import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '../options.js'
import { provideTarballs } from '../pack.js'
import { STARTER } from '../packages.js'
import { say } from '../run.js'
import { CODE } from './builds/code.js'
import { PAGES } from './builds/pages.js'
import type { Case } from './Case.js'
import { HOSTS } from './hosts/hosts.js'
import { tryHost } from './hosts/tryHost.js'
import { formatLines, pageWith, readPage, type Result, writePage } from './table.js'

const USAGE = `npx tsx scripts/consumer/run.ts

Packs the packages as they would be published, installs the tarballs into applications outside the workspace, and does there what a user does
first. It takes half an hour. If the variable TARBALLS names a folder, it takes the tarballs of that.

  --only <text>   the cases with this text in their name; may be repeated
  --list          only the names
  --keep          leaves the applications where they are
  --write         writes the results into the tables of docs/hosts.md; otherwise a difference is an error`

/** The cases, by their table in docs/hosts.md. */
const TABLES: Readonly<Record<string, readonly Case[]>> = {
  builds: [...CODE, ...PAGES],
  hosts: HOSTS.map((host) => ({ name: host.name, run: (context) => tryHost(context, host) })),
}

async function runAll(cases: readonly Case[], keep: boolean): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-consumer-'))
  try {
    say('The tarballs')
    const { [STARTER]: _starter, ...tarballs } = await provideTarballs(folder)
    const results: Result[] = []
    for (const tried of cases) {
      say(tried.name)
      const seen = await tried.run({ folder, tarballs }).catch((thrown: unknown) => {
        console.log(thrown instanceof Error ? [thrown.message, thrown.cause].join('\n') : thrown)
        return ''
      })
      results.push({ name: tried.name, seen })
    }
    return results
  } finally {
    if (keep) console.log(`\nThe applications are in ${folder}.`)
    // Half a million files: Node's own function needs minutes for them.
    else spawnSync('rm', ['-rf', folder])
  }
}

const { values } = readOptions(USAGE, {
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    list: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const chosen = Object.values(TABLES)
  .flat()
  .filter(({ name }) => values.only.some((text) => name.toLowerCase().includes(text.toLowerCase())))

if (chosen.length === 0) {
  console.error(`Failed to find a case: none has ${values.only.join(' or ')} in its name. Try --list.`)
  process.exitCode = 1
} else if (values.list) {
  for (const { name } of chosen) console.log(name)
} else {
  const results = await runAll(chosen, values.keep)
  console.log(`\n${formatLines(results)}`)
  const failed = results.filter(({ seen }) => seen === '')
  let page = readPage()
  for (const [table, cases] of Object.entries(TABLES)) page = pageWith(page, table, cases, results)
  if (failed.length > 0) {
    console.error(`\nFailed:\n  ${failed.map(({ name }) => name).join('\n  ')}`)
    process.exitCode = 1
  } else if (values.write) {
    writePage(page)
  } else if (page !== readPage()) {
    console.error('The tables of docs/hosts.md are not what was seen. Run this with --write.')
    process.exitCode = 1
  }
}
