import type { Ratio } from './ratios.js'

/** The ratios of one bench, for each run. */
export interface Measured {
  readonly title: string
  /** Describes one run: rounds, seconds. */
  readonly form: string
  readonly runs: readonly (readonly Ratio[])[]
}

export interface PageFacts {
  /** Such as `2026-11-22`. */
  readonly date: string
  readonly quick: boolean
  readonly cpus: number
  readonly platform: string
  readonly node: string
  /** Names and versions of the peers. */
  readonly versions: Readonly<Record<string, string>>
  /** Titles of the benches that were left out. */
  readonly notRun: readonly string[]
}

const shown = (value: number): string => {
  if (Number.isInteger(value)) return String(value)
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)
}

const ratioOf = ({ own, other, ratio = own / other }: Ratio): number => ratio

function aimOf({ aim }: Ratio): string {
  if (aim === undefined) return ''
  return 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`
}

function holds(ratio: Ratio): boolean {
  const { aim } = ratio
  if (aim === undefined) return true
  return 'atLeast' in aim ? ratioOf(ratio) >= aim.atLeast : ratioOf(ratio) <= aim.atMost
}

/** A row: the median of the runs, their range, and the absolute values of the median run side by side. */
function formatRow(all: readonly Ratio[]): Row {
  const sorted = all.toSorted((a, b) => ratioOf(a) - ratioOf(b))
  const [least, median, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  if (!least || !median || !most) throw new Error('Failed to write a row: it has no run.')
  const range = all.length === 1 ? '' : ` (${shown(ratioOf(least))}–${shown(ratioOf(most))})`
  const missed = all.filter((ratio) => !holds(ratio)).length
  const verdict = missed === 0 ? aimOf(median) : `${aimOf(median)}, **missed** ${missed}/${all.length}`
  const values = `${shown(median.own)}/${shown(median.other)} ${median.unit}`
  const seen = [`**${shown(ratioOf(median))}**${range}`, verdict, values].filter(Boolean).join('; ')
  return { what: median.what, gets: median.gets, beside: median.beside, seen }
}

interface Row {
  readonly what: string
  readonly gets: string
  readonly beside: string
  readonly seen: string
}

const BY_CPU = ', by CPU'

/** Neighbouring rows with equal results share a line. The CPU time of a row is at its end. */
function formatRows(rows: readonly Row[]): string[] {
  const lines: { names: string[]; gets: string; beside: string; seen: string }[] = []
  for (const { what, gets, beside, seen } of rows) {
    const last = lines.at(-1)
    if (last?.beside === beside && what === last.names[0] + BY_CPU) last.seen += `; by CPU ${seen}`
    else if (last?.beside === beside && last.seen === seen) last.names.push(what)
    else lines.push({ names: [what], gets, beside, seen })
  }
  return lines.map(
    ({ names, gets, beside, seen }) => `- _${gets}_ ${names.join('; ')} beside ${beside}: ${seen}`,
  )
}

function formatBench({ title, form, runs }: Measured): string {
  const [first = []] = runs
  const rows = first.map(({ what, beside }) =>
    formatRow(
      runs.flatMap((run) => run.find((ratio) => ratio.what === what && ratio.beside === beside) ?? []),
    ),
  )
  return [
    `## ${title}\n`,
    `${form}, ${runs.length === 1 ? 'one run' : `${runs.length} runs`}.\n`,
    ...formatRows(rows),
    '',
  ].join('\n')
}

/** The page docs/bench.md. */
export function formatPage(facts: PageFacts, measured: readonly Measured[]): string {
  const versions = Object.entries(facts.versions).map(([name, version]) => `${name} ${version}`)
  return [
    '# Benchmarks\n',
    '<!-- Written by `npm run bench -- --report`. Do not edit. -->\n',
    'Each row says what a user gets from it, and compares two things that took turns in one run, on one machine: the median of the ratios (their range), the aim if there is one, and the values of that run.',
    `[The benches](../bench/README.md) say how each is measured.\n`,
    ...(facts.quick
      ? [
          '**This page is from a quick run** (`--quick`): few rounds, on a machine that other programs used as well. It shows the order of size, and a missed aim may be noise.\n',
        ]
      : []),
    `Measured on ${facts.date}: ${facts.cpus} processors, ${facts.platform}, Node ${facts.node}. ${versions.join(', ')}.\n`,
    ...(facts.notRun.length > 0 ? [`Not run: ${facts.notRun.join(', ')}.\n`] : []),
    ...measured.map(formatBench),
  ].join('\n')
}
