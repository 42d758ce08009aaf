import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readOptions } from '../../scripts/options.js'
import { type Bench, BENCHES, PEERS } from './benches.js'
import { formatPage, type Measured } from './formatPage.js'
import type { Ratio } from './ratios.js'

const USAGE = `npm run bench -- --report [--quick] [--only <name>] [--out <file>]

Runs the benches that compare, several times each, and writes docs/bench.md. It takes three quarters of an hour on a machine with nothing else to do.
For one bench alone see bench/README.md.

  --quick         few rounds; two minutes
  --only <name>   one bench, by its script in bench/package.json; may be repeated
  --out <file>    another file than docs/bench.md`

const root = resolve(import.meta.dirname, '../..')
const { values } = readOptions(USAGE, {
  options: {
    report: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    out: { type: 'string', default: join(root, 'docs/bench.md') },
  },
})

/**
 * Runs a bench as many times as its form says. A bench that misses an aim exits with 1, but still has ratios.
 * A run that crashed has none, and the other benches continue.
 */
function measure({ script, title, [values.quick ? 'quick' : 'full']: form }: Bench): Measured {
  const { text, args = [], env = {}, runs } = form
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-bench-'))
  try {
    const all = Array.from({ length: runs }, (_, index): Ratio[][] => {
      console.log(`\n> ${title}, run ${index + 1} of ${runs}`)
      const json = join(folder, `${index}.json`)
      spawnSync('npm', ['run', '--silent', script, '-w', '@stagepass/bench', '--', ...args, '--json', json], {
        cwd: root,
        stdio: 'inherit',
        env: { ...process.env, ...env },
      })
      if (existsSync(json)) return [JSON.parse(readFileSync(json, 'utf8')) as Ratio[]]
      console.error(`Failed to measure: run ${index + 1} of ${title} gave no ratios.`)
      process.exitCode = 1
      return []
    })
    return { title, form: text, runs: all.flat() }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function versionOf(name: string): string {
  const file = join(root, 'node_modules', name, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

if (!values.report) {
  console.error(`Failed to start: say --report.\n\n${USAGE}`)
  process.exitCode = 1
} else {
  const chosen = BENCHES.filter(({ script }) => values.only?.includes(script) ?? true)
  const measured = chosen.map(measure).filter(({ runs }) => runs.length > 0)
  const facts = {
    date: new Date().toISOString().slice(0, 10),
    quick: values.quick,
    cpus: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    notRun: BENCHES.filter(({ title }) => !measured.some((one) => one.title === title)).map(
      ({ title }) => title,
    ),
    versions: Object.fromEntries(PEERS.map((name) => [name, versionOf(name)])),
  }
  writeFileSync(values.out, formatPage(facts, measured))
  console.log(`\nWritten: ${values.out}`)
}
