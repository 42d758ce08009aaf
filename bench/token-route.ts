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
  instrumentedTenth: 'Stagepass with a tenth of the traces',
  instrumentedMetrics: 'Stagepass with metrics alone',
  byHand: 'traces and metrics by hand',
  byHandTenth: 'a tenth of the traces by hand',
  bare: 'bare node:http + undici',
  stagepassInExpress: 'Stagepass in Express',
  bareInExpress: 'bare, in Express',
  handWritten: 'hand-written, in Express',
  proxy: 'http-proxy-middleware',
  stagepassInHono: "Stagepass on Hono's server",
  bareInHono: 'bare fetch handler there',
} as const
type Kind = keyof typeof NAMES

/** The compared pairs, and the smallest ratio of each. */
const PAIRS: readonly (readonly [own: Kind, other: Kind, target: number])[] = [
  ['stagepass', 'bare', 0.7],
  ['counted', 'stagepass', 0.9],
  ['instrumented', 'stagepass', 0.85],
  ['instrumentedTenth', 'stagepass', 0.85],
  ['instrumentedMetrics', 'stagepass', 0.85],
  ['instrumented', 'byHand', 0.95],
  ['instrumentedTenth', 'byHandTenth', 0.95],
  ['stagepassInExpress', 'bareInExpress', 0.9],
  ['stagepassInExpress', 'handWritten', 2],
  ['stagepassInExpress', 'proxy', 1],
  ['stagepassInHono', 'bareInHono', 0.8],
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
for (const [ownKind, otherKind, target] of PAIRS) {
  const own = results.get(NAMES[ownKind])
  const other = results.get(NAMES[otherKind])
  if (!own || !other) continue
  const ratio = own.perSecond / other.perSecond
  const [what, beside] = [NAMES[ownKind], NAMES[otherKind]]
  ratios.push({
    what,
    beside,
    own: own.perSecond,
    other: other.perSecond,
    unit: 'requests/s',
    aim: { atLeast: target },
  })
  ratios.push({
    what: `${what}, by CPU`,
    beside,
    own: own.cpuUs,
    other: other.cpuUs,
    unit: 'µs of CPU a request',
    ratio: other.cpuUs / own.cpuUs,
  })
  const verdict = ratio >= target ? 'holds' : 'MISSED'
  console.log(
    `${NAMES[ownKind]} to ${NAMES[otherKind]}:`.padEnd(56) +
      `${ratio.toFixed(2)}  (at least ${target}: ${verdict}; by CPU ${(other.cpuUs / own.cpuUs).toFixed(2)})`,
  )
}
writeRatios(ratios)
