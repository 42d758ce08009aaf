import { saturate } from './saturate.js'

/*
 * One account on an increasing number of processes, with a real redis-server, against a sliding limiter: a
 * greedy user with 200 requests in the queue, and four light users.
 *
 * `npm run budget-scale -w @stagepass/bench`; `-- --processes 1,16 --seconds 10` for a part of it.
 */

const argument = (name: string, fallback: string): string => {
  const index = process.argv.indexOf(`--${name}`)
  return index < 0 ? fallback : (process.argv[index + 1] ?? fallback)
}
const seconds = Number(argument('seconds', '20'))
const fleets = argument('processes', '1,4,8,16,32').split(',').map(Number)

console.log('processes   used   429s   light p95   scripts/s   Redis CPU')
for (const processes of fleets) {
  const run = await saturate({ limiter: 'sliding', strict: false, processes, seconds })
  const p95 = run.waits[Math.min(run.waits.length - 1, Math.floor(run.waits.length * 0.95))] ?? 0
  console.log(
    [
      String(processes).padStart(9),
      `${((100 * run.answered) / (5 * seconds)).toFixed(0)} %`.padStart(6),
      String(run.refused).padStart(6),
      `${Math.round(p95)} ms`.padStart(11),
      run.scriptsASecond.toFixed(0).padStart(11),
      `${(100 * run.redisCpu).toFixed(0)} %`.padStart(11),
    ].join(' '),
  )
}
