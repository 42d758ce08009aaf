import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { embedWorklets } from '../embedWorklets.js'
import { providePrograms } from '../programs.js'
import { copyTree } from './copyTree.js'
import { runTests } from './runTests.js'

/*
 * Plants the faults of faults.json one at a time in a copy of the repository, and runs the tests that should find each.
 *
 *   npx tsx scripts/plantedFaults/run.ts                    every fault
 *     --only gate,cache,refusal-403    areas and ids
 *     --all                            what its own tests miss is tried with all tests of its package, and those of test/
 *
 * A fault is a text that occurs once in the sources of the packages, wherever the file lies; so a fault survives a move. One whose text is
 * gone, or occurs twice, is "stale" and counts as not found.
 */

interface Fault {
  readonly id: string
  readonly area: string
  readonly what: string
  readonly find: string
  readonly replace: string
  /** Ends of the paths of the tests that should find it. */
  readonly tests: readonly string[]
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
})
const only = values.only?.split(',')
const here = 'scripts/plantedFaults'
const every = JSON.parse(readFileSync(`${here}/faults.json`, 'utf8')) as readonly Fault[]
const faults = every.filter(({ id, area }) => !only || only.includes(id) || only.includes(area))
if (faults.length === 0) throw new Error('No such id or area.')

Object.assign(process.env, await providePrograms())
const folder = copyTree()
cpSync(`${here}/vitest.config.ts`, join(folder, 'faults.config.ts'))
const files = execFileSync(
  'find',
  ['packages', 'test', '-path', '*/node_modules', '-prune', '-o', '-type', 'f', '-print'],
  {
    cwd: folder,
    encoding: 'utf8',
  },
).split('\n')
const tests = files.filter((file) => /\.test\.tsx?$/.test(file) && !file.startsWith('test/demo/'))
const sources = files.filter(
  (file) =>
    /^packages\/\w+\/src\/.*\.(ts|tsx|js)$/.test(file) &&
    !file.includes('.test') &&
    !file.endsWith('.worklet.js'),
)
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')

function testsOf({ id, tests: ends }: Fault): string[] {
  return ends.flatMap((end) => {
    const found = tests.filter((file) => file.endsWith(`/${end}`))
    if (found.length !== 1) throw new Error(`${id}: ${end} is not the name of one test file`)
    return found
  })
}

/** Says how the fault was found, or "missed" or "stale". */
async function plant(fault: Fault): Promise<string> {
  const [file, second] = sources.filter((source) => textOf(source).includes(fault.find))
  const text = file === undefined ? '' : textOf(file)
  if (file === undefined || second !== undefined || text.split(fault.find).length !== 2) return 'stale'
  const write = async (changed: string): Promise<void> => {
    writeFileSync(join(folder, file), changed)
    if (file.includes('/worklets/')) await embedWorklets(folder)
  }
  await write(text.replace(fault.find, () => fault.replace))
  try {
    const found = await runTests(folder, testsOf(fault))
    if (found !== undefined || !values.all) return found ?? 'missed'
    const wider = tests.filter(
      (test) => test.startsWith(file.split('/src/')[0] ?? '') || test.startsWith('test/'),
    )
    return (await runTests(folder, wider)) ?? 'missed'
  } finally {
    await write(text)
  }
}

let count = 0
try {
  const own = [...new Set(faults.flatMap(testsOf))]
  const broken = await runTests(folder, own, 3_600_000)
  if (broken !== undefined) throw new Error(`A test fails before any fault is planted: ${broken}`)
  for (const fault of faults) {
    const found = await plant(fault)
    const isFound = found !== 'missed' && found !== 'stale'
    if (isFound) count += 1
    console.log(
      `${isFound ? 'found ' : found.padEnd(6)}  ${fault.area.padEnd(14)}  ${fault.id.padEnd(30)}  ${isFound ? found : fault.what}`,
    )
  }
  console.log(`\n${count} of ${faults.length} found`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = count === faults.length ? 0 : 1
