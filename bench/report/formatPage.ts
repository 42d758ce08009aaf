import { formatAim, type Proven, provenClaims } from './claims.js'
import { type Figures, formatNumber, formatRatio, type Row } from './figures.js'

/** The number of sentences at the beginning of the page. */
const SENTENCES = 4

const formatRange = ({ ratio, least, most, runs }: Row): string =>
  `**${formatRatio(ratio)}**${runs === 1 ? '' : ` (${formatRatio(least)}–${formatRatio(most)})`}`
const formatValues = ({ own, other, unit }: Row): string =>
  `${formatNumber(own)} / ${formatNumber(other)} ${unit}`

/** The end of the name of a row with the CPU time of another row. */
const BY_CPU = ', by CPU'

/** The benefit is in the first row that has it: `told` has those of the rows above. */
function formatRow(row: Row, rows: readonly Row[], told: Set<string>): string {
  const { what, gets, beside, aim, missed, runs } = row
  const benefit = told.has(gets) ? '' : `_${gets}_ `
  told.add(gets)
  const cpu = rows.find((one) => one.what === what + BY_CPU && one.beside === beside)
  const verdict = missed === 0 ? '' : `, **missed** ${missed}/${runs}`
  const cells = [
    `${benefit}${what}`,
    beside,
    formatRange(row),
    aim ? `${formatAim(aim)}${verdict}` : '',
    `${formatValues(row)}${cpu ? `; ${formatRange(cpu)}, ${formatValues(cpu)}` : ''}`,
  ]
  return `| ${cells.join(' | ')} |`
}

const formatImage = ({ claim }: Proven, folder: string, text: string): string =>
  `<img src="${folder}/${claim.id}.svg" width="390" alt="${text.replaceAll('"', '&quot;')}" />`

/** Paths are those of a page beside the folder `bench`, whose table has the numbers of the picture. */
const formatClaim = (proven: Proven): string =>
  `## ${proven.claim.title}\n\n${formatImage(proven, './bench', `${proven.claim.title}: see the numbers`)}\n`

/** One row for all with the same figures, which has the name of each. */
function mergeRows(rows: readonly Row[]): Row[] {
  const merged = new Map<string, Row>()
  for (const row of rows) {
    const { what, ...figures } = row
    const key = JSON.stringify(figures)
    const same = merged.get(key)
    merged.set(key, same ? { ...same, what: `${same.what}; ${what}` } : row)
  }
  return [...merged.values()]
}

/** One table for all claims, because most of a small table is its head. */
function formatNumbers({ benches }: Figures, proven: readonly Proven[]): string {
  const told = new Set<string>()
  const rows = proven.flatMap((one) => mergeRows(one.rows))
  return [
    '## The numbers\n',
    `${benches.map(({ title, form }) => `- ${title}: ${form}`).join('\n')}\n`,
    '| what | beside | ratio (range) | aim | values |\n| --- | --- | --- | --- | --- |',
    `${rows
      .filter((row) => !rows.some(({ what, beside }) => what + BY_CPU === row.what && beside === row.beside))
      .map((row) => formatRow(row, rows, told))
      .join('\n')}\n`,
  ].join('\n')
}

/** The page docs/bench.md. */
export function formatPage(figures: Figures): string {
  const proven = provenClaims(figures)
  const sentences = proven.flatMap(({ claim, rows }) => claim.sentence?.(rows) ?? []).slice(0, SENTENCES)
  const versions = Object.entries(figures.versions).map(([name, version]) => `${name} ${version}`)
  return [
    '# Benchmarks\n',
    '<!-- Written by `npm run bench -- --report`. Do not edit. -->\n',
    `${sentences.join(' ')}\n`,
    'Each picture compares two things that took turns in one run, on one machine: the values of the run with the median ratio, the range of all runs, and the aim if there is one.',
    `[The benches](../bench/README.md) say how each is measured.\n`,
    ...(figures.quick
      ? [
          '**This page is from a quick run** (`--quick`): few rounds, on a machine that other programs used as well. It shows the order of size, and a missed aim may be noise.\n',
        ]
      : []),
    `Measured on ${figures.date}: ${figures.cpus} processors, ${figures.platform}, Node ${figures.node}. ${versions.join(', ')}.\n`,
    ...(figures.notRun.length > 0 ? [`Not run: ${figures.notRun.join(', ')}.\n`] : []),
    ...proven.map(formatClaim),
    formatNumbers(figures, proven),
  ].join('\n')
}

/** The line of pictures on another page, with the sentences. `folder`: of the pictures, from that page. */
export const pictureLine = (figures: Figures, folder: string): string =>
  provenClaims(figures)
    .filter(({ claim }) => claim.isShown)
    .map((proven) => formatImage(proven, folder, proven.claim.sentence?.(proven.rows) ?? proven.claim.title))
    .join(' ')
