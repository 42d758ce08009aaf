import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ENGINES, type Engine } from '../packages/testing/src/engines/impossibleCases.js'
import { startDisplay } from '../packages/testing/src/engines/startDisplay.js'
import { impossibleSection, suiteResults, type SuiteResult, type TestReport, TITLES } from './engineReport.js'
import { BASIC, ENGINES as ENGINE_PROGRAMS, provide } from './programs.js'

/*
 * Updates docs/browsers.md from the reports of the last run: `npm run test:all`, then `npx tsx
 * scripts/browsers.ts --write`. Without `--write` it prints the page.
 */

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const page = `${root}/docs/browsers.md`
const reports = `${root}/.cache/test`

function readReports(): TestReport[] {
  try {
    const files = readdirSync(reports).filter((name) => name.endsWith('.json'))
    return files.map((name) => JSON.parse(readFileSync(`${reports}/${name}`, 'utf8')) as TestReport)
  } catch (cause) {
    throw new Error('Failed to read the reports of the last run. Run npm run test:all first.', { cause })
  }
}

function cell(result: SuiteResult | undefined): string {
  if (!result) return '-'
  const { passed, impossible, failed } = result
  return [
    `${passed} passed`,
    impossible > 0 && `${impossible} impossible`,
    failed > 0 && `**${failed} failed**`,
  ]
    .filter(Boolean)
    .join(', ')
}

function resultsSection(): string {
  const suites = readReports().flatMap((report) => [...suiteResults(report, root)])
  const total = (engine: Engine): SuiteResult => {
    const sum = { passed: 0, impossible: 0, failed: 0 }
    for (const [, { [engine]: one }] of suites) {
      sum.passed += one?.passed ?? 0
      sum.impossible += one?.impossible ?? 0
      sum.failed += one?.failed ?? 0
    }
    return sum
  }
  return ENGINES.map((engine) => `${TITLES[engine]}: ${cell(total(engine))}.`).join(' ')
}

/** The version that a program prints with `--version`. */
function versionOf(program: string | undefined, env: NodeJS.ProcessEnv = {}): string {
  if (!program) return 'not found'
  const output = execFileSync(program, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  return /\d+(?:\.\d+)+\S*/.exec(output)?.[0] ?? 'unknown'
}

/** The text of the page with a new section between two of its comments. */
function replaceSection(text: string, name: string, section: string): string {
  const start = `<!-- ${name} -->`
  const end = `<!-- end of ${name} -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < 0) throw new Error(`Failed to write docs/browsers.md: it has no ${start} and ${end}.`)
  return `${text.slice(0, from + start.length)}\n\n${section}\n\n${text.slice(to)}`
}

const { CHROMIUM_PATH, FIREFOX_PATH, WEBKIT_BROWSER_PATH } = await provide([...BASIC, ...ENGINE_PROGRAMS])
// The MiniBrowser prints nothing without a screen.
const display = await startDisplay()
const versions: Record<Engine, string> = {
  chromium: versionOf(CHROMIUM_PATH),
  firefox: versionOf(FIREFOX_PATH),
  webkit: versionOf(WEBKIT_BROWSER_PATH, { DISPLAY: display.name }),
}
await display[Symbol.asyncDispose]()

let text = readFileSync(page, 'utf8')
text = replaceSection(
  text,
  'versions',
  `Run with ${ENGINES.map((engine) => `${TITLES[engine]} ${versions[engine]}`).join(', ')}, from the packages of Debian.`,
)
text = replaceSection(text, 'results', resultsSection())
text = replaceSection(text, 'impossible cases', impossibleSection())
if (process.argv.includes('--write')) writeFileSync(page, text)
else console.log(text)
