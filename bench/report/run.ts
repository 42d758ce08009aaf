import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readOptions } from '../../scripts/options.js'
import { type Claim, CLAIMS } from './claims.js'
import { type Figures, type Measured, type Ratio, summarize } from './figures.js'
import { PICTURE_PAGES, writeReport } from './writeReport.js'

const USAGE = `npm run bench -- --report [--only <name>] [--out <folder>]
npm run bench -- --draw

Runs the benches of the claims. Writes the page docs/bench.md, the figures and a picture for each claim in
docs/bench, and the lines of pictures of the README and the home page. It takes half an hour on a machine
with nothing else to do. For one bench alone see bench/README.md.

  --only <name>   one claim, by its script in bench/package.json; may be repeated
  --out <folder>  page, figures and pictures into this folder instead
  --draw          page and pictures again, from the figures of the last report`

const root = resolve(import.meta.dirname, '../..')
const { values } = readOptions(USAGE, {
  options: {
    report: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    out: { type: 'string' },
    draw: { type: 'boolean', default: false },
  },
})

/** Packages whose versions the page names. */
const PEERS = ['express', 'http-proxy-middleware', 'undici', 'react']

/**
 * Runs a bench as many times as its claim says. A bench that misses an aim exits with 1, but still has ratios.
 * A run that crashed has none, and the other benches continue.
 */
function measure({ id, title, form, args = [], runs = 1 }: Claim): Measured {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-bench-'))
  try {
    const all = Array.from({ length: runs }, (_, index): Ratio[][] => {
      console.log(`\n> ${title}, run ${index + 1} of ${runs}`)
      const json = join(folder, `${index}.json`)
      spawnSync('npm', ['run', '--silent', id, '-w', '@stagepass/bench', '--', ...args], {
        cwd: root,
        stdio: 'inherit',
        env: { ...process.env, RATIOS_FILE: json },
      })
      if (existsSync(json)) return [JSON.parse(readFileSync(json, 'utf8')) as Ratio[]]
      console.error(`Failed to measure: run ${index + 1} of ${title} gave no ratios.`)
      process.exitCode = 1
      return []
    })
    return { id, form, rows: summarize(all.flat()) }
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
  const chosen = CLAIMS.filter(({ id }) => values.only?.includes(id) ?? true)
  return {
    date: new Date().toISOString().slice(0, 10),
    cpus: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
    versions: Object.fromEntries(PEERS.map((name) => [name, versionOf(name)])),
    claims: chosen.map(measure).filter(({ rows }) => rows.length > 0),
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
