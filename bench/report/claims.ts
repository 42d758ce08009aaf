import { type Figures, formatNumber, formatRatio, type Row } from './figures.js'

/** A claim about the speed or the cost of Stagepass: one picture, and rows in the table of docs/bench.md. */
export interface Claim {
  /** Name of its picture, and fragment of its section. */
  readonly id: string
  readonly title: string
  /** Which bar is the better one. */
  readonly better: 'longer' | 'shorter'
  /** It belongs to the claim. A row belongs to the first claim that has it. */
  readonly has: (row: Row) => boolean
  /** What a user gets, in one sentence with the numbers. The first four are the beginning of the page. */
  readonly sentence?: (rows: readonly Row[]) => string
  /** Its picture is in the README and on the site's home too. */
  readonly isShown?: true
}

const times = (value: number): string => `${formatRatio(value)} times`
const percent = (value: number): string => `${Math.round(100 * value)}`
function missedOf({ aim, missed, runs }: Row): string {
  if (aim === undefined || missed === 0) return ''
  return ` (the aim, ${formatAim(aim)}, was missed${runs === 1 ? '' : ` in ${missed} of ${runs} runs`})`
}
const joined = (parts: readonly string[]): string => parts.join(', and ')

export const formatAim = (aim: NonNullable<Row['aim']>): string =>
  'atLeast' in aim ? `at least ${aim.atLeast}` : `at most ${aim.atMost}`

export const CLAIMS: readonly Claim[] = [
  {
    id: 'requests',
    title: 'Requests a second',
    better: 'longer',
    has: ({ unit, what }) => unit === 'requests/s' && what === 'Stagepass in Express',
    sentence: (rows) =>
      `With every check on, one server answers ${joined(
        rows.map((row) => `${times(row.ratio)} the requests of ${nameOf(row.beside)}${missedOf(row)}`),
      )}.`,
    isShown: true,
  },
  {
    id: 'open',
    title: 'From press to open',
    better: 'shorter',
    has: ({ unit, what }) => unit === 'ms from press to open' && what.includes('token held'),
    sentence: (rows) => {
      const { what = '', own = 0, other = 0 } = rows.at(-1) ?? {}
      const place = what.split(', ').at(-1) ?? ''
      return `With \`warm: true\` and a ${place.replace('trip', 'trip of')} a stream is open ${formatNumber(own)} ms after a press, in place of ${formatNumber(other)} ms by hand, because its token is there already.`
    },
    isShown: true,
  },
  {
    id: 'minutes',
    title: 'Paid minutes',
    better: 'shorter',
    has: ({ unit }) => /\bminutes\b/.test(unit),
    sentence: ([row]) =>
      row
        ? `With \`silence: { closeAfterMs: 1_500 }\` an hour of talk, a third of it speech, costs ${formatNumber(row.own)} minutes in place of ${formatNumber(row.other)}${missedOf(row)}.`
        : '',
    isShown: true,
  },
  {
    id: 'main-thread',
    title: 'Main thread while captions stream',
    better: 'shorter',
    has: ({ unit }) => unit.startsWith('ms of main thread'),
    sentence: ([row]) =>
      row
        ? `A thousand messages a second take ${times(row.ratio)} the main thread of ${row.beside}${missedOf(row)}.`
        : '',
  },
  {
    id: 'limit',
    title: 'The rate limit of an account',
    better: 'longer',
    has: ({ unit, beside }) => unit === 'requests/s' && beside === 'the rate limit',
    sentence: (rows) => {
      const [least, most] = [Math.min, Math.max].map((of) => percent(of(...rows.map(({ ratio }) => ratio))))
      return `All users together get ${least === most ? most : `${least} to ${most}`}% of the requests that the account pays for, and no 429.`
    },
  },
  {
    id: 'server-code',
    title: 'A list for a page that is rendered on the server',
    better: 'shorter',
    has: ({ unit }) => unit.startsWith('µs for'),
  },
  {
    id: 'sharing',
    title: 'A list that everyone opens',
    better: 'shorter',
    has: ({ unit }) => unit === 'requests',
  },
  {
    id: 'cold',
    title: 'From press to open, without a token',
    better: 'shorter',
    has: ({ unit }) => unit === 'ms from press to open',
  },
  {
    id: 'burst',
    title: 'Many messages at once',
    better: 'shorter',
    has: ({ unit }) => /^ms (?:for|in) /.test(unit),
  },
  {
    id: 'price',
    title: 'What the checks cost',
    better: 'longer',
    has: ({ unit }) => unit === 'requests/s',
  },
  {
    id: 'cpu',
    title: 'CPU time of a request',
    better: 'shorter',
    has: ({ unit }) => unit.includes('CPU'),
  },
]

/** The name of a peer inside of a sentence. */
const NAMES: Readonly<Record<string, string>> = {
  'hand-written, in Express': 'a route that is written in ten minutes',
  'http-proxy-middleware': 'a plain proxy',
}
const nameOf = (peer: string): string => NAMES[peer] ?? peer

/** A claim with its figures. */
export interface Proven {
  readonly claim: Claim
  readonly rows: readonly Row[]
}

/** The claims that have figures, in their order. Throws if a row belongs to none. */
export function provenClaims({ benches }: Pick<Figures, 'benches'>): Proven[] {
  const claimOf = (row: Row): Claim => {
    const claim = CLAIMS.find(({ has }) => has(row))
    if (claim) return claim
    throw new Error(
      `Failed to draw "${row.what}": no claim has rows in "${row.unit}". Add one to bench/report/claims.ts.`,
    )
  }
  const all = benches.flatMap(({ rows }) => rows.map((row) => ({ row, claim: claimOf(row) })))
  return CLAIMS.flatMap((claim) => {
    const own = all.filter((one) => one.claim === claim)
    return own.length > 0 ? [{ claim, rows: own.map(({ row }) => row) }] : []
  })
}
