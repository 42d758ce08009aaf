import { readOptions } from '../../scripts/options.js'
import { createRecorder } from '../report/createRecorder.js'
import { saturate } from './saturate.js'

/*
 * The account's budget under saturation, against each reading of the service's limit.
 * `npm run budget -w @stagepass/bench -- --seconds 15 --only sliding --processes 1,32`
 */

const { values } = readOptions(
  'npm run budget -w @stagepass/bench -- [--seconds 60] [--only <limiter>] [--processes 1,2,4]',
  {
    options: {
      seconds: { type: 'string', default: '60' },
      only: { type: 'string' },
      processes: { type: 'string', default: '1,2,4' },
    },
  },
)
const seconds = Number(values.seconds)
const fleets = values.processes.split(',').map(Number)
const PER_SECOND = 5
const LEAST_USED = { sliding: 0.97, fixed: 0.97, bucket: 0.97, strict: 0.8 } as const
/**
 * The longest wait of a light user, in milliseconds: instances take turns, and in each instance the greedy
 * user and the light one.
 */
const longestWait = (processes: number): number => (2 * processes * 1_000) / PER_SECOND + 600

const recorder = createRecorder()
for (const [limiter, atLeast] of Object.entries(LEAST_USED) as [keyof typeof LEAST_USED, number][]) {
  if ((values.only ?? limiter) !== limiter) continue
  let fewest = Infinity
  for (const processes of fleets) {
    const { answered, refused, waits, scriptsARequest } = await saturate({ limiter, processes, seconds })
    const place = `limiter ${limiter}, ${processes} ${processes === 1 ? 'process' : 'processes'}`
    fewest = Math.min(fewest, answered)
    recorder.hold(`${place}: 429s`, refused, { atMost: 0 })
    const p95 = waits[Math.floor(waits.length * 0.95)] ?? NaN
    recorder.hold(`${place}: wait of a light user, 95 %, ms`, p95, { atMost: longestWait(processes) })
    recorder.hold(`${place}: calls of Redis for a request`, scriptsARequest, { atMost: 1.2 })
  }
  recorder.keep({
    what: `${fleets.join(', ').replace(/, (?=\d+$)/, ' and ')} processes, limiter ${limiter}`,
    beside: 'the rate limit',
    own: fewest / seconds,
    other: PER_SECOND,
    unit: 'requests/s',
    aim: { atLeast },
  })
}
recorder.end()
