import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readOptions } from '../../scripts/options.js'
import { type Bench, BENCHES, PEERS } from './benches.js'
import { type Figures, type Measured, summarize } from './figures.js'
import type { Ratio } from './ratios.js'
import { PICTURE_PAGES, writeReport } from './writeReport.js'

const USAGE = `npm run bench -- --report [--quick] [--only <name>] [--out <folder>]
npm run bench -- --draw

Runs the benches that compare, several times each. Writes the page docs/bench.md, the figures and a picture
for each claim in docs/bench, and the lines of pictures of the README and the home page. It takes three
quarters of an hour on a machine with nothing else to do. For one bench alone see bench/README.md.

  --quick         few rounds; two minutes
  --only <name>   one bench, by its script in bench/package.json; may be repeated
  --out <folder>  page, figures and pictures into this folder instead
  --draw          page and pictures again, from the figures of the last report`

const root = resolve(import.meta.dirname, '../..')
const { values } = readOptions(USAGE, {
  options: {
    report: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    out: { type: 'string' },
    draw: { type: 'boolean', default: false },
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

const folder = values.out ?? join(root, 'docs')
const file = join(folder, 'bench/figures.json')

function measureAll(): Figures {
  const chosen = BENCHES.filter(({ script }) => values.only?.includes(script) ?? true)
  const measured = chosen.map(measure).filter(({ runs }) => runs.length > 0)
  return {
    date: new Date().toISOString().slice(0, 10),
    quick: values.quick,
    cpus: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    versions: Object.fromEntries(PEERS.map((name) => [name, versionOf(name)])),
    notRun: BENCHES.filter(({ title }) => !measured.some((one) => one.title === title)).map(
      ({ title }) => title,
    ),
    benches: measured.map(summarize),
  }
}

if (values.report) {
  const figures = measureAll()
  mkdirSync(join(folder, 'bench'), { recursive: true })
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`)
}
if (values.report || values.draw) {
  writeReport(JSON.parse(readFileSync(file, 'utf8')) as Figures, folder, values.out ? [] : PICTURE_PAGES)
  console.log(`\nWritten: ${folder}/bench.md and the pictures in ${folder}/bench`)
} else {
  console.error(`Failed to start: say --report or --draw.\n\n${USAGE}`)
  process.exitCode = 1
}
