import { formatAim, type Proven, provenClaims } from './claims.js'
import { type Figures, formatNumber, formatRatio, type Row } from './figures.js'

/** The number of sentences at the beginning of the page. */
const SENTENCES = 4

function formatRow(row: Row): string {
  const { what, gets, beside, ratio, least, most, own, other, unit, aim, missed, runs } = row
  const range = runs === 1 ? '' : ` (${formatRatio(least)}–${formatRatio(most)})`
  const verdict = missed === 0 ? '' : `, **missed** ${missed}/${runs}`
  const cells = [
    `_${gets}_ ${what}`,
    beside,
    `**${formatRatio(ratio)}**${range}`,
    aim ? `${formatAim(aim)}${verdict}` : '',
    `${formatNumber(own)} / ${formatNumber(other)} ${unit}`,
  ]
  return `| ${cells.join(' | ')} |`
}

/** Its text is the sentence of the claim. The numbers are in the table, and in the title of the picture. */
function imageOf({ claim, rows }: Proven, folder: string): string {
  const text = claim.sentence?.(rows) ?? `${claim.title}: see the numbers`
  return `<img src="${folder}/${claim.id}.svg" width="390" alt="${text.replaceAll('"', '&quot;')}" />`
}

/** Paths are those of a page beside the folder `bench`. */
function formatClaim(proven: Proven): string {
  const { claim, rows, forms } = proven
  return [
    `## ${claim.title}\n`,
    `${imageOf(proven, './bench')}\n`,
    '<details>\n<summary>The numbers</summary>\n',
    `${forms.join('; ')}.\n`,
    '| what | beside | ratio (range) | aim | values |\n| --- | --- | --- | --- | --- |',
    `${rows.map(formatRow).join('\n')}\n`,
    '</details>\n',
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
  ].join('\n')
}

/** The line of pictures on another page. `folder`: of the pictures, from that page. */
export const pictureLine = (figures: Figures, folder: string): string =>
  provenClaims(figures)
    .filter(({ claim }) => claim.isShown)
    .map((proven) => imageOf(proven, folder))
    .join(' ')
