import { printResults, race } from './race/race.js'
import { type Ratio, writeRatios } from './report/ratios.js'

/*
 * Compares the token route, with gate, grant, limits and validation, with other ways to keep a key on the
 * server, in each kind of host.
 */

const NAMES = {
  stagepass: 'Stagepass',
  counted: 'Stagepass that counts minutes',
  instrumented: 'Stagepass with traces and metrics',
  instrumentedMetrics: 'Stagepass with metrics alone',
  byHand: 'traces and metrics by hand',
  bare: 'bare node:http + undici',
  stagepassInExpress: 'Stagepass in Express',
  handWritten: 'hand-written, in Express',
  proxy: 'http-proxy-middleware',
  stagepassInHono: "Stagepass on Hono's server",
  bareInHono: 'bare fetch handler there',
} as const
type Kind = keyof typeof NAMES

interface Pair {
  readonly own: Kind
  readonly other: Kind
  /** The benefit for a user, as a sentence. */
  readonly gets: string
  /** The smallest ratio. Without it, the row shows a price that a user pays for safety or for sight. */
  readonly atLeast?: number
}

const PAIRS: readonly Pair[] = [
  {
    own: 'stagepassInExpress',
    other: 'handWritten',
    gets: 'More users on a machine than with what one writes in ten minutes.',
    atLeast: 2,
  },
  {
    own: 'stagepassInExpress',
    other: 'proxy',
    gets: 'All checks in the time of a plain proxy.',
    atLeast: 1,
  },
  { own: 'stagepass', other: 'bare', gets: 'The price of gate, grant, limits and validation.' },
  {
    own: 'stagepassInHono',
    other: 'bareInHono',
    gets: 'The same price in a host with fetch.',
  },
  {
    own: 'counted',
    other: 'stagepass',
    gets: 'The price of counted minutes: a signed receipt for each token.',
  },
  {
    own: 'instrumented',
    other: 'byHand',
    gets: 'Traces and metrics cost what the SDK costs.',
    atLeast: 0.95,
  },
  { own: 'instrumented', other: 'stagepass', gets: 'The price of traces and metrics.' },
  { own: 'instrumentedMetrics', other: 'stagepass', gets: 'The price of metrics.' },
]

/** Runs only some: `ONLY=stagepass,bare`. */
const only = process.env['ONLY']?.split(',')
const kinds = (Object.keys(NAMES) as Kind[]).filter((kind) => only?.includes(kind) ?? true)
const results = await race({
  upstream: new URL('./token-route/upstream.ts', import.meta.url),
  contenders: kinds.map((kind) => ({
    name: NAMES[kind],
    script: new URL('./token-route/contender.ts', import.meta.url),
    args: [kind],
  })),
  path: '/session-token',
  headers: { 'content-type': 'application/json', 'x-stagepass': '1', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ usage_type: 'stt', expiration_ttl: 30 }),
})
printResults('token route', results)
const ratios: Ratio[] = []
for (const { own: ownKind, other: otherKind, gets, atLeast } of PAIRS) {
  const own = results.get(NAMES[ownKind])
  const other = results.get(NAMES[otherKind])
  if (!own || !other) continue
  const row = { what: NAMES[ownKind], beside: NAMES[otherKind], gets }
  const aim = atLeast === undefined ? undefined : { atLeast }
  const byCpu = other.cpuUs / own.cpuUs
  ratios.push({ ...row, own: own.perSecond, other: other.perSecond, unit: 'requests/s', aim })
  ratios.push({
    ...row,
    what: `${row.what}, by CPU`,
    own: own.cpuUs,
    other: other.cpuUs,
    unit: 'µs of CPU a request',
    ratio: byCpu,
  })
  const ratio = own.perSecond / other.perSecond
  const verdict =
    atLeast === undefined ? '' : `at least ${atLeast}: ${ratio >= atLeast ? 'holds' : 'MISSED'}; `
  console.log(
    `${row.what} to ${row.beside}:`.padEnd(56) +
      `${ratio.toFixed(2)}  (${verdict}by CPU ${byCpu.toFixed(2)})`,
  )
}
writeRatios(ratios)
