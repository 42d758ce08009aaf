import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findTarballs } from '../consumer/packPackages.js'
import { runIn, stopAll } from '../consumer/runIn.js'
import { say } from '../run.js'
import { sectionOf } from './changelog.js'
import { copyForRelease } from './copy.js'
import { runFreshApp, writeBillOfMaterials } from './freshApp.js'
import { mayPublish, REFUSAL } from './mayPublish.js'
import { startRegistry } from './registry.js'
import { provideTools, toolPath } from './tools.js'
import { applyVersion } from './version.js'

/*
 * `npm run release -- --dry-run` does all of a release but the publishing, in a copy of the tree: versions and changelog, build, pack, the checks of
 * the packed tarballs, a local registry, an application that installs from it, the bill of materials. It leaves the tarballs, the changelog and the
 * bill of materials in a folder and prints a table.
 *
 *   --matrix        every case of the consumer matrix, not only the quick ones
 *   --out <folder>  where the files go; default dist/release
 *
 * Without --dry-run it also publishes, and only the workflow "release" may do that.
 */

const { values } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    matrix: { type: 'boolean', default: false },
    out: { type: 'string', default: 'dist/release' },
  },
})
const isDryRun = values['dry-run']
const out = resolve(values.out)
const folders: string[] = []
const rows: { readonly step: string; readonly result: string; readonly seconds: number }[] = []
let failed = false

/** Runs a step, and keeps what came of it for the table. A step that fails does not keep the others from running, unless they need it. */
async function step(title: string, work: () => Promise<string> | string): Promise<boolean> {
  say(title)
  const started = performance.now()
  let result: string
  let holds = true
  try {
    result = await work()
  } catch (error) {
    holds = false
    failed = true
    result = 'FAILED'
    console.error(error instanceof Error ? error.message : error)
  }
  console.log(`  ${result}`)
  rows.push({ step: title, result, seconds: Math.round((performance.now() - started) / 1_000) })
  return holds
}

function cleanUp(): void {
  stopAll()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

/** The signature of each package in the lockfile. A registry without keys cannot be asked, and that is no failure. */
async function auditSignatures(): Promise<string> {
  const root = resolve(import.meta.dirname, '../..')
  try {
    const output = await runIn(root, 'npm', ['audit', 'signatures', '--fetch-retries=0', '--loglevel=error'])
    return output.trim().split('\n').slice(0, 3).join('; ')
  } catch (error) {
    const text = (error as Error).message
    if (/invalid|tampered/i.test(text)) throw error
    return `not checked: ${/npm error [^\n]+/.exec(text)?.[0] ?? 'npm gives no reason'}`
  }
}

async function release(): Promise<void> {
  const copy = copyForRelease()
  folders.push(copy)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })

  let version = ''
  const versioned = await step('Versions and changelog', () => {
    version = applyVersion(copy)
    const page = join(copy, 'CHANGELOG.md')
    const section = existsSync(page) ? sectionOf(readFileSync(page, 'utf8'), version) : undefined
    if (section === undefined)
      throw new Error(`Failed to find version ${version} in CHANGELOG.md. Run \`npm run release:version\`.`)
    writeFileSync(join(out, 'CHANGELOG.md'), section)
    return `${version}, ${section.trim().split('\n').length} lines of changelog`
  })
  if (!versioned) return
  const packed = await step('Build and pack', async () => {
    await runIn(copy, 'npx', ['tsx', 'scripts/release/pack.ts', out])
    const sizes = tarballs().map((path) => statSync(path).size)
    return `${sizes.length} tarballs, ${Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1_000)} kB`
  })
  if (!packed) return
  for (const path of tarballs()) {
    await step(`publint and attw: ${basename(path)}`, async () => {
      await runIn(copy, 'npx', ['publint', '--strict', path])
      await runIn(copy, 'npx', ['attw', path, '--profile', 'strict'])
      return 'holds'
    })
  }
  await step('Sizes in the browser', async () => {
    await runIn(copy, 'npm', ['run', '--silent', 'size', '-w', '@stagepass/bench'])
    return 'holds'
  })
  await step('Signatures of the dependencies', auditSignatures)
  await step('Local registry, and an application that installs from it', async () => {
    await using registry = await startRegistry()
    await registry.publish(tarballs())
    const { env } = registry
    const work = mkdtempSync(join(tmpdir(), 'stagepass-release-'))
    folders.push(work)
    await runFreshApp(join(work, 'app'), { version, env })
    const file = join(out, 'stagepass.cdx.json')
    const cyclonedx = toolPath('cyclonedx-npm')
    await writeBillOfMaterials(join(work, 'bom'), { file, version, env, cyclonedx })
    const { components } = JSON.parse(readFileSync(file, 'utf8')) as { components: readonly unknown[] }
    return `installed, type-checked and run; ${components.length} components in the bill of materials`
  })
  const cases = values.matrix ? [] : ['--quick']
  await step(values.matrix ? 'The whole consumer matrix' : 'The quick consumer cases', async () => {
    const args = ['tsx', 'scripts/consumer/run.ts', ...cases, '--tarballs', out]
    const output = await runIn(copy, 'npx', args, { limitSeconds: 5_400 })
    return `${output.match(/^\| .* \| works \|/gm)?.length ?? 0} cases work`
  })
  if (isDryRun || failed) return
  await step('Publish', async () => {
    for (const path of tarballs())
      await runIn(out, 'npm', ['publish', '--provenance', '--access=public', '--ignore-scripts', path])
    return `${tarballs().length} packages`
  })
}

const tarballs = (): string[] => Object.values(findTarballs(out))

function printTable(): void {
  const width = Math.max(...rows.map((row) => row.step.length))
  console.log('')
  for (const row of rows)
    console.log(`${row.step.padEnd(width)}  ${`${row.seconds} s`.padStart(6)}  ${row.result}`)
  console.log(`\n${out}: ${readdirSync(out).join(', ')}`)
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  // Not `once`: the terminal and tsx both send it, and a second one must not end the removal of the copy.
  process.on(signal, () => {
    cleanUp()
    process.exit(code)
  })
}

if (!isDryRun && !mayPublish(process.env)) {
  console.error(REFUSAL)
  process.exitCode = 1
} else {
  provideTools()
  try {
    await release()
    printTable()
  } finally {
    cleanUp()
  }
  console.log(
    failed ? '\nFailed: do not publish this.' : isDryRun ? '\nNothing was published.' : '\nPublished.',
  )
  process.exitCode = failed ? 1 : 0
}
