import { type Figures, formatAim, formatNumber, formatRatio, type Measured, type Row } from './figures.js'

/** A claim about the speed or the cost of Stagepass: one picture, and rows in the table of docs/bench.md. */
export interface Claim {
  /** Its script in bench/package.json, and the name of its picture. */
  readonly id: string
  readonly title: string
  /** Which bar is the better one. */
  readonly better: 'longer' | 'shorter'
  /** What a user gets, in one sentence with the numbers. */
  readonly sentence: (rows: readonly Row[]) => string
  /** Its picture is in the README and on the site's home too. */
  readonly isShown?: true
  /** Its rows by which a reader decides, by `what`; the table has only these. Default: all. */
  readonly rows?: readonly string[]
  /** How it is measured, for the page. */
  readonly form: string
  /** Options of its script. */
  readonly args?: readonly string[]
  /** Number of runs, for the range. Default 1. */
  readonly runs?: number
}

export const CLAIMS: readonly Claim[] = [
  {
    id: 'requests',
    title: 'Requests a second',
    better: 'longer',
    sentence: (rows) =>
      `With every check on, one server answers ${rows
        .map((row) => `${formatRatio(row.ratio)} times the requests of ${nameOf(row.beside)}${missedOf(row)}`)
        .join(', and ')}.`,
    isShown: true,
    form: '6 rounds of 2 s for each contender, in three processes that take turns, 50 connections',
    args: ['--only', 'stagepassInExpress,handWritten,proxy'],
    runs: 3,
  },
  {
    id: 'open',
    title: 'From press to open',
    better: 'shorter',
    sentence: (rows) => {
      const { what = '', own = 0, other = 0 } = rows.at(-1) ?? {}
      const place = what.split(', ').at(-1) ?? ''
      return `With \`warm: true\` and a ${place.replace('trip', 'trip of')} a stream is open ${formatNumber(own)} ms after a press, in place of ${formatNumber(other)} ms by hand, because its token is there already.`
    },
    isShown: true,
    rows: ['useStream with a token held, round trip 150 ms'],
    form: '13 presses of each kind in Chromium, in turns',
    runs: 3,
  },
  {
    id: 'minutes',
    title: 'Paid minutes',
    better: 'shorter',
    sentence: (rows) =>
      rows
        .map(
          (row) =>
            `With \`silence: {}\` an hour of talk, a third of it speech, costs ${formatNumber(row.own)} minutes in place of ${formatNumber(row.other)}${missedOf(row)}.`,
        )
        .join(' '),
    isShown: true,
    form: 'three utterances in 37 s, with `silence: {}`, in Chromium',
    runs: 3,
  },
  {
    id: 'budget',
    title: 'The rate limit of an account',
    better: 'longer',
    sentence: (rows) => {
      const [least, most] = [Math.min, Math.max].map((of) =>
        Math.round(100 * of(...rows.map(({ ratio }) => ratio))),
      )
      return `All users together get ${least === most ? most : `${least} to ${most}`}% of the requests that the account pays for, and no 429.`
    },
    rows: ['1, 2 and 4 processes, limiter fixed', '1, 2 and 4 processes, limiter strict'],
    form: '60 s for each number of processes and each reading of the limit',
  },
  {
    id: 'sizes',
    title: 'Size in the browser',
    better: 'shorter',
    sentence: (rows) => {
      const [stream, all] = ['useStream alone, with react-use-websocket', 'everything'].map(
        (name) => rows.find(({ what }) => what === name)?.own ?? NaN,
      ) as [number, number]
      return `A page with one stream loads ${formatNumber(stream)} kB with react-use-websocket, and everything for a page is ${formatNumber(all)} kB without it.`
    },
    rows: ['useStream alone, with react-use-websocket', 'everything', '/audio'],
    form: 'minified and gzipped, without libraries, and without what loads on demand',
  },
]

/** The name of a peer inside of a sentence. */
const NAMES: Readonly<Record<string, string>> = {
  'hand-written, in Express': 'a route that is written in ten minutes',
  'http-proxy-middleware': 'a plain proxy',
}
const nameOf = (peer: string): string => NAMES[peer] ?? peer

function missedOf({ aim, missed, runs }: Row): string {
  if (aim === undefined || missed === 0) return ''
  return ` (the aim, ${formatAim(aim)}, was missed${runs === 1 ? '' : ` in ${missed} of ${runs} runs`})`
}

/** A claim with its figures. */
export interface Proven extends Measured {
  readonly claim: Claim
}

/** The claims that have figures, in their order. */
export const provenClaims = ({ claims }: Pick<Figures, 'claims'>): Proven[] =>
  CLAIMS.flatMap((claim) => claims.filter(({ id }) => id === claim.id).map((one) => ({ ...one, claim })))
