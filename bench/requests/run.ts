import { readOptions } from '../../scripts/options.js'
import { createRecorder } from '../report/createRecorder.js'
import { race } from './race.js'

/*
 * Compares the token route, with gate, grant, limits and validation, with other ways to keep a key on the
 * server, in each kind of host. `npm run requests -w @stagepass/bench -- --only stagepass,bare`
 */

const { values } = readOptions(
  'npm run requests -w @stagepass/bench -- [--rounds 6] [--seconds 2] [--only <contender>,<contender>]',
  {
    options: {
      rounds: { type: 'string', default: '6' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string' },
    },
  },
)

const NAMES = {
  stagepassInExpress: 'Stagepass in Express',
  handWritten: 'hand-written, in Express',
  proxy: 'http-proxy-middleware',
  bareInExpress: 'a bare handler in Express',
  stagepass: 'Stagepass in node:http',
  bare: 'a bare handler in node:http',
  stagepassInHono: "Stagepass on Hono's server",
  bareInHono: "a bare handler on Hono's server",
  instrumented: 'Stagepass with traces and metrics',
  byHand: 'traces and metrics by hand',
} as const
type Kind = keyof typeof NAMES

/** Pairs of the claim. */
const CLAIMED: readonly (readonly [own: Kind, other: Kind, atLeast: number])[] = [
  ['stagepassInExpress', 'handWritten', 2],
  ['stagepassInExpress', 'proxy', 1],
]
/** The price of all checks, and of what an SDK adds: the part of the speed that is left. */
const PRICES: readonly (readonly [by: 'cpuUs' | 'perSecond', own: Kind, other: Kind, atLeast: number])[] = [
  ['cpuUs', 'stagepass', 'bare', 0.6],
  ['cpuUs', 'stagepassInExpress', 'bareInExpress', 0.75],
  ['cpuUs', 'stagepassInHono', 'bareInHono', 0.6],
  ['perSecond', 'instrumented', 'byHand', 0.95],
]

const only = values.only?.split(',')
const kinds = (Object.keys(NAMES) as Kind[]).filter((kind) => only?.includes(kind) ?? true)
const results = await race(kinds, { rounds: Number(values.rounds), seconds: Number(values.seconds) })
for (const [kind, { perSecond, cpuUs }] of results)
  console.log(
    `  ${NAMES[kind as Kind].padEnd(34)} ${perSecond.toFixed(0).padStart(7)} requests/s  ${cpuUs.toFixed(0).padStart(5)} µs of CPU a request`,
  )

const recorder = createRecorder()
for (const [ownKind, otherKind, atLeast] of CLAIMED) {
  const [own, other] = [results.get(ownKind), results.get(otherKind)]
  if (!own || !other) continue
  recorder.keep({
    what: NAMES[ownKind],
    beside: NAMES[otherKind],
    own: own.perSecond,
    other: other.perSecond,
    unit: 'requests/s',
    aim: { atLeast },
  })
}
for (const [by, ownKind, otherKind, atLeast] of PRICES) {
  const [own, other] = [results.get(ownKind), results.get(otherKind)]
  if (!own || !other) continue
  const value = by === 'cpuUs' ? other.cpuUs / own.cpuUs : own.perSecond / other.perSecond
  recorder.hold(
    `${NAMES[ownKind]} beside ${NAMES[otherKind]}, ${by === 'cpuUs' ? 'by CPU' : 'requests/s'}`,
    value,
    { atLeast },
  )
}
recorder.end()
