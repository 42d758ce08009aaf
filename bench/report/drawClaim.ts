import type { Proven } from './claims.js'
import { formatAim, formatNumber, formatRatio, type Row } from './figures.js'

/*
 * Draws a claim as SVG: for each row the bar of Stagepass with the range of the runs, the bar of its peer,
 * and the aim as a dashed line. The picture is as wide as a phone, and has the colours of the reader's scheme.
 * It has its own background, because a page can have the other scheme.
 */

const WIDTH = 390
const MARGIN = 16
const PLOT = WIDTH - 2 * MARGIN
/** Characters in a line, in the widest of the fonts. A name has a value beside it. */
const LINE_LENGTH = { normal: 50, bold: 46, title: 34, name: 40 } as const

const STYLE = `
  svg { --bg: #ffffff; --edge: #d5d6cf; --text: #191c1b; --soft: #4d5451; --own: #0d6b5e; --peer: #8b918d; --miss: #b02a1f }
  @media (prefers-color-scheme: dark) {
    svg { --bg: #191d1c; --edge: #414946; --text: #eceeec; --soft: #b4bbb7; --own: #4fc3ad; --peer: #7d8581; --miss: #ff8f82 }
  }
  text { font: 13px system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', sans-serif; fill: var(--text) }
  .title { font-size: 17px; font-weight: 600 }
  .soft { fill: var(--soft) }
  .value { font-weight: 600; text-anchor: end }
  .missed { fill: var(--miss); font-weight: 600 }
  .own { fill: var(--own) }
  .own.missed { fill: var(--bg); stroke: var(--miss); stroke-width: 2 }
  .peer { fill: var(--peer) }
  .range { stroke: var(--text); stroke-width: 1.5; fill: none }
  .aim { stroke: var(--text); stroke-width: 2; stroke-dasharray: 4 3 }
  .aim.missed { stroke: var(--miss) }
`

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string): string => text.replaceAll(/[&<>"]/g, (char) => ESCAPES[char] ?? char)

/** Lines of at most so many characters. A longer word is divided. */
function wrap(text: string, length: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ').flatMap((one) => one.match(new RegExp(`.{1,${length}}`, 'g')) ?? [])) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= length)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const aimValue = (row: Row): number | undefined =>
  row.aim && row.other * ('atLeast' in row.aim ? row.aim.atLeast : row.aim.atMost)

/** The ratio in words: its range, and what became of the aim. */
function verdictOf(row: Row): string {
  const { ratio, least, most, runs, aim, missed } = row
  const range = least === most ? '' : ` (${formatRatio(least)} to ${formatRatio(most)})`
  const ratioText = `Ratio ${formatRatio(ratio)}${range}`
  if (aim === undefined) return ratioText
  const outcome = missed === 0 ? 'reached' : runs === 1 ? 'MISSED' : `MISSED in ${missed} of ${runs} runs`
  return `${ratioText}; aim ${formatAim(aim)}: ${outcome}`
}

/** What the picture shows, for who does not see it. */
const describeClaim = ({ claim, rows }: Pick<Proven, 'claim' | 'rows'>): string =>
  `${claim.title}. ${rows
    .map(
      (row) =>
        `${row.what}: ${formatNumber(row.own)}, ${row.beside}: ${formatNumber(row.other)} ${row.unit}. ${verdictOf(row)}.`,
    )
    .join(' ')}`

/** The claim as the text of an SVG file. */
export function drawClaim(proven: Pick<Proven, 'claim' | 'rows'>): string {
  const { claim, rows } = proven
  const values = rows.flatMap((row) => [
    row.own,
    row.other,
    row.other * row.least,
    row.other * row.most,
    aimValue(row) ?? 0,
  ])
  const scale = PLOT / (Math.max(...values) || 1)
  /** A value above zero has a bar that can be seen. */
  const lengthOf = (value: number): number => (value > 0 ? Math.max(value * scale, 2) : 0)
  const round = (value: number): string => String(Math.round(value * 10) / 10)

  const parts: string[] = []
  let y = MARGIN
  const addText = (line: string, kind: string, height: number, x = MARGIN): void => {
    y += height
    parts.push(`<text class="${kind}" x="${x}" y="${round(y - 4)}">${escape(line)}</text>`)
  }
  function addBar(name: string, value: number, kind: string): number {
    const [first = '', ...others] = wrap(name, LINE_LENGTH.name)
    addText(first, 'name', 18)
    parts.push(`<text class="value" x="${WIDTH - MARGIN}" y="${round(y - 4)}">${formatNumber(value)}</text>`)
    for (const line of others) addText(line, 'name', 16)
    parts.push(
      `<rect class="${kind}" x="${MARGIN}" y="${y + 1}" width="${round(lengthOf(value))}" height="12" rx="2" />`,
    )
    y += 17
    return y - 10
  }
  function addRow(row: Row): void {
    const missed = row.missed > 0 ? ' missed' : ''
    const middle = addBar(row.what, row.own, `own${missed}`)
    const ends = [row.least, row.most].map((at) => MARGIN + lengthOf(row.other * at))
    const [from, to] = [Math.min(...ends), Math.max(...ends)].map(round)
    if (from !== to)
      parts.push(
        `<path class="range" d="M${from} ${middle}H${to}M${from} ${middle - 4}v8M${to} ${middle - 4}v8" />`,
      )
    const aim = aimValue(row)
    if (aim !== undefined) {
      const x = round(MARGIN + lengthOf(aim))
      parts.push(`<path class="aim${missed}" d="M${x} ${middle - 8}v16" />`)
    }
    addBar(row.beside, row.other, 'peer')
    const [kind, length] = missed
      ? (['missed', LINE_LENGTH.bold] as const)
      : (['soft', LINE_LENGTH.normal] as const)
    for (const line of wrap(verdictOf(row), length)) addText(line, kind, 17)
    y += 12
  }

  for (const line of wrap(claim.title, LINE_LENGTH.title)) addText(line, 'title', 22)
  const units = [...new Set(rows.map(({ unit }) => unit))].join(', ')
  for (const line of wrap(`${units}; ${claim.better} is better`, LINE_LENGTH.normal))
    addText(line, 'soft', 18)
  y += 6
  for (const row of rows) addRow(row)
  if (rows.some(({ aim }) => aim)) {
    parts.push(`<path class="aim" d="M${MARGIN + 8} ${y + 2}v16" />`)
    addText('the aim', 'soft', 18, MARGIN + 24)
  }
  if (rows.some(({ least, most }) => least !== most)) {
    parts.push(`<path class="range" d="M${MARGIN} ${y + 10}h16m0 -4v8m-16 -8v8" />`)
    addText('the range of the runs', 'soft', 18, MARGIN + 24)
  }
  const height = y + MARGIN - 4

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">`,
    `<title>${escape(describeClaim(proven))}</title>`,
    `<style>${STYLE}</style>`,
    `<rect x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="10" style="fill: var(--bg); stroke: var(--edge)" />`,
    ...parts,
    '</svg>',
    '',
  ].join('\n')
}
