import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { median } from '../report/median.js'

const CONNECTIONS = 50
/**
 * Processes of each contender, which take turns too: the same program is up to a third faster or slower from
 * one start to the next.
 */
const PROCESSES = 3

const REQUEST = {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-stagepass': '1', 'sec-fetch-site': 'same-origin' },
  body: JSON.stringify({ usage_type: 'stt', expiration_ttl: 30 }),
} as const

export interface Result {
  /** Median over the rounds. */
  readonly perSecond: number
  /**
   * CPU time of the contender's process for one request, in microseconds: the smallest of the rounds, because
   * a busy machine can only increase it.
   */
  readonly cpuUs: number
}

interface Lane {
  readonly name: string
  readonly child: ChildProcess
  readonly url: string
}

/**
 * Measures the speed and the CPU time of each contender. The upstream has a process, and each contender has
 * `PROCESSES`, one of which runs in a round. The contenders take turns in each round, in both directions, so
 * that a slow moment of the machine affects all of them.
 */
export async function race(
  names: readonly string[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Map<string, Result>> {
  const started: ChildProcess[] = []
  const start = async (name: string, script: string, args: readonly string[] = []): Promise<Lane> => {
    const env = { ...process.env, NODE_ENV: 'production' }
    const child = fork(new URL(script, import.meta.url), args, { env })
    started.push(child)
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return { name, child, url: `http://127.0.0.1:${port}` }
  }
  try {
    const upstream = await start('upstream', './upstream.ts')
    const running = []
    for (const name of names) {
      const lanes: Lane[] = []
      for (let count = 0; count < PROCESSES; count += 1) {
        const lane = await start(name, './contender.ts', [name, upstream.url])
        await measure(lane, 2) // warm up
        lanes.push(lane)
      }
      running.push({ name, lanes, results: [] as Result[] })
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { lanes, results } of round % 2 === 0 ? running : running.toReversed()) {
        const lane = lanes[round % PROCESSES]
        if (lane) results.push(await measure(lane, seconds))
      }
    }
    return new Map(
      running.map(({ name, results }) => [
        name,
        {
          perSecond: median(results.map(({ perSecond }) => perSecond)),
          cpuUs: Math.min(...results.map(({ cpuUs }) => cpuUs)),
        },
      ]),
    )
  } finally {
    for (const child of started) child.kill()
  }
}

async function cpuOf({ child }: Lane): Promise<number> {
  child.send('cpu')
  const [{ cpuUs }] = (await once(child, 'message')) as [{ cpuUs: number }]
  return cpuUs
}

async function measure(lane: Lane, seconds: number): Promise<Result> {
  const cpuBefore = await cpuOf(lane)
  const result = await autocannon({
    url: `${lane.url}/session-token`,
    connections: CONNECTIONS,
    duration: seconds,
    ...REQUEST,
  })
  if (result.non2xx + result.errors > 0)
    throw new Error(
      `Failed to measure ${lane.name}: ${result.errors} requests failed, and the answers were ${JSON.stringify(result.statusCodeStats)}.`,
    )
  const { total } = result.requests
  return { perSecond: total / result.duration, cpuUs: ((await cpuOf(lane)) - cpuBefore) / total }
}
