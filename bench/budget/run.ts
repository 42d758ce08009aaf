import { type Ratio, writeRatios } from '../report/ratios.js'
import { countSaved } from './countSaved.js'
import { saturate, type SaturateOptions } from './saturate.js'

/*
 * The account's budget under saturation: separate processes with a real redis-server, against each reading of
 * the upstream's limiter, with a round trip of 20 ms and jitter; a greedy user with 200 waiting requests, and
 * four light users. Then it counts the requests that sharing and the cache save.
 *
 * `npm run budget -w @stagepass/bench`; `-- --seconds 15 --only sliding` for a shorter run.
 */

const index = process.argv.indexOf('--seconds')
const seconds = index < 0 ? 60 : Number(process.argv[index + 1])
const PER_SECOND = 5
const onlyIndex = process.argv.indexOf('--only')
const only = onlyIndex < 0 ? undefined : process.argv[onlyIndex + 1]
/**
 * The longest wait of a light user, in milliseconds: instances take turns, and in each instance the greedy
 * user and the light one.
 */
const longestWait = (processes: number): number => (2 * processes * 1_000) / PER_SECOND + 600
const LEAST_USED = { sliding: 0.97, fixed: 0.97, bucket: 0.97, strict: 0.8 } as const

const quantile = (sorted: readonly number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)

interface Row extends SaturateOptions {
  readonly name: string
}

const limiters = (['sliding', 'fixed', 'bucket', 'strict'] as const).filter((name) => (only ?? name) === name)
const ratios: Ratio[] = []
const rows: Row[] = limiters.flatMap((limiter) =>
  [1, 4].map((processes) => ({
    name: limiter,
    limiter,
    strict: limiter === 'strict',
    processes,
    seconds,
  })),
)
console.log(`${seconds} s each. used: of 5 a second. waits of the light users in ms.\n`)
console.log('limiter          processes   used   429s    p50    p95   held')
let held = true
for (const row of rows) {
  const { answered, refused, waits } = await saturate(row)
  const used = answered / (PER_SECOND * seconds)
  const p95 = quantile(waits, 0.95)
  const good = used >= LEAST_USED[row.limiter] && refused === 0 && p95 < longestWait(row.processes)
  held &&= good
  ratios.push({
    what: `${row.processes} ${row.processes === 1 ? 'process' : 'processes'}, limiter ${row.name}`,
    gets: 'Users get what the account pays for, and no 429.',
    beside: 'the rate limit',
    own: answered / seconds,
    other: PER_SECOND,
    unit: 'requests/s',
    aim: { atLeast: LEAST_USED[row.limiter] },
  })
  const cells = [
    row.name.padEnd(16),
    String(row.processes).padStart(9),
    `${(100 * used).toFixed(1)} %`.padStart(9),
    String(refused).padStart(5),
    String(quantile(waits, 0.5)).padStart(6),
    String(p95).padStart(6),
    (good ? 'yes' : 'NO').padStart(6),
  ]
  console.log(cells.join(' '))
}

const saved = await countSaved(1_000, 20)
const savedWell = saved.upstreamCalls === 20
held &&= savedWell
console.log(
  `\n${saved.requests} users on 20 pages: ${saved.upstreamCalls} upstream calls ` +
    `(${saved.shared} saved by sharing, ${saved.cached} by the cache)  ${savedWell ? 'yes' : 'NO'}`,
)
ratios.push({
  what: 'upstream requests, with sharing and cache',
  gets: 'A list that everyone opens costs one request.',
  beside: 'requests of users',
  own: saved.upstreamCalls,
  other: saved.requests,
  unit: 'requests',
  aim: { atMost: 0.02 },
})
writeRatios(ratios)
process.exitCode = held ? 0 : 1
