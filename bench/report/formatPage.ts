import { CLAIMS, type Proven, provenClaims } from './claims.js'
import { type Figures, formatAim, formatNumber, formatRatio, type Row } from './figures.js'

function formatRow({ what, beside, own, other, unit, ratio, least, most, runs, aim, missed }: Row): string {
  const range = runs === 1 ? '' : ` (${formatRatio(least)}–${formatRatio(most)})`
  const verdict = missed === 0 ? '' : `, **missed** ${missed}/${runs}`
  const cells = [
    what,
    beside,
    `**${formatRatio(ratio)}**${range}`,
    aim ? `${formatAim(aim)}${verdict}` : '',
    `${formatNumber(own)} / ${formatNumber(other)} ${unit}`,
  ]
  return `| ${cells.join(' | ')} |`
}

const formatImage = ({ claim }: Proven, folder: string, text: string): string =>
  `<img src="${folder}/${claim.id}.svg" width="390" alt="${text.replaceAll('"', '&quot;')}" />`

/** Paths are those of a page beside the folder `bench`, whose table has the numbers of the picture. */
const formatClaim = (proven: Proven): string =>
  `## ${proven.claim.title}\n\n${formatImage(proven, './bench', `${proven.claim.title}: see the numbers`)}\n`

const formatForm = ({ claim, form, rows }: Proven): string => {
  const { runs } = rows[0] ?? { runs: 0 }
  return `- ${claim.title}: ${form}, ${runs === 1 ? 'one run' : `${runs} runs`}`
}

/** The page docs/bench.md. */
export function formatPage(figures: Figures): string {
  const proven = provenClaims(figures)
  const versions = Object.entries(figures.versions).map(([name, version]) => `${name} ${version}`)
  const notRun = CLAIMS.filter((claim) => !proven.some((one) => one.claim === claim))
  return [
    '# Benchmarks\n',
    '<!-- Written by `npm run bench -- --report`. Do not edit. -->\n',
    `${proven.map(({ claim, rows }) => claim.sentence(rows)).join(' ')}\n`,
    'Each picture compares two things that took turns in one run, on one machine: the values of the run with the median ratio, the range of all runs, and the aim if there is one.',
    `[The benches](../bench/README.md) say how each is measured.\n`,
    `Measured on ${figures.date}: ${figures.cpus} processors, ${figures.platform}, Node ${figures.node}. ${versions.join(', ')}.\n`,
    ...(notRun.length > 0 ? [`Not run: ${notRun.map(({ title }) => title).join(', ')}.\n`] : []),
    ...proven.map(formatClaim),
    // One table for all claims, because most of a small table is its head.
    `## The numbers\n\nThose by which to decide; [figures.json](bench/figures.json) has all.\n\n${proven.map(formatForm).join('\n')}\n`,
    '| what | beside | ratio (range) | aim | values |\n| --- | --- | --- | --- | --- |',
    `${proven
      .flatMap(({ claim, rows }) => rows.filter(({ what }) => claim.rows?.includes(what) ?? true))
      .map(formatRow)
      .join('\n')}\n`,
  ].join('\n')
}

/** The line of pictures on another page, with the sentences. `folder`: of the pictures, from that page. */
export const pictureLine = (figures: Figures, folder: string): string =>
  provenClaims(figures)
    .filter(({ claim }) => claim.isShown)
    .map((proven) => formatImage(proven, folder, proven.claim.sentence(proven.rows)))
    .join(' ')
