import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

export interface Contender {
  readonly name: string
  /** Module that listens on a free port and sends the number to its parent. */
  readonly script: URL
  readonly args?: readonly string[]
}

export interface RaceOptions {
  readonly upstream: URL
  readonly contenders: readonly Contender[]
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

export const CONNECTIONS = 50
export const ROUNDS = Number(process.env['ROUNDS'] ?? 6)
export const SECONDS = Number(process.env['SECONDS'] ?? 2)
/**
 * Processes of each contender, which take turns too: the same program is up to a third faster or slower from
 * one start to the next.
 */
const PROCESSES = 3

export interface Result {
  /** Median over the rounds. */
  readonly perSecond: number
  /**
   * CPU time of the contender's process for one request, in microseconds: the smallest of the rounds, because
   * a busy machine can only increase it.
   */
  readonly cpuUs: number
}

/**
 * Measures the speed and the CPU time of each contender. The upstream has a process, and each contender has
 * `PROCESSES`, one of which runs in a round. The contenders take turns in each round, in both directions, so
 * that a slow moment of the machine affects all of them.
 */
export async function race({ upstream, contenders, ...load }: RaceOptions): Promise<Map<string, Result>> {
  const started: ChildProcess[] = []
  const start = async (name: string, script: URL, args: readonly string[] = []): Promise<Lane> => {
    const child = fork(script, [...args], { env: { ...process.env, NODE_ENV: 'production' } })
    started.push(child)
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return { name, child, url: `http://127.0.0.1:${port}` }
  }
  try {
    const { url: upstreamUrl } = await start('upstream', upstream)
    const running = []
    for (const { name, script, args = [] } of contenders) {
      const lanes: Lane[] = []
      for (let count = 0; count < PROCESSES; count++) {
        const lane = await start(name, script, [...args, upstreamUrl])
        await measure(lane, 2, load) // warm up
        lanes.push(lane)
      }
      running.push({ name, lanes, rounds: [] as Result[] })
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const { lanes, rounds } of round % 2 === 0 ? running : running.toReversed()) {
        const lane = lanes[round % PROCESSES]
        if (lane) rounds.push(await measure(lane, SECONDS, load))
      }
    }
    return new Map(
      running.map(({ name, rounds }) => [
        name,
        {
          perSecond: median(rounds.map(({ perSecond }) => perSecond)),
          cpuUs: Math.min(...rounds.map(({ cpuUs }) => cpuUs)),
        },
      ]),
    )
  } finally {
    for (const child of started) child.kill()
  }
}

interface Lane {
  readonly name: string
  readonly child: ChildProcess
  readonly url: string
}

async function cpuOf({ child }: Lane): Promise<number> {
  child.send('cpu')
  const [{ cpuUs }] = (await once(child, 'message')) as [{ cpuUs: number }]
  return cpuUs
}

async function measure(
  lane: Lane,
  seconds: number,
  { path, headers, body }: Pick<RaceOptions, 'path' | 'headers' | 'body'>,
): Promise<Result> {
  const cpuBefore = await cpuOf(lane)
  const result = await autocannon({
    url: lane.url + path,
    method: 'POST',
    connections: CONNECTIONS,
    duration: seconds,
    headers,
    body,
  })
  if (result.non2xx + result.errors > 0)
    throw new Error(
      `Failed to measure ${lane.name}: ${result.errors} requests failed, and the answers were ${JSON.stringify(result.statusCodeStats)}.`,
    )
  const { total } = result.requests
  return { perSecond: total / result.duration, cpuUs: ((await cpuOf(lane)) - cpuBefore) / total }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

export function printResults(title: string, results: ReadonlyMap<string, Result>): void {
  console.log(
    `${title}: ${CONNECTIONS} connections, ${PROCESSES} processes each, ${ROUNDS} rounds of ${SECONDS} s`,
  )
  for (const [name, { perSecond, cpuUs }] of results)
    console.log(
      `  ${name.padEnd(26)} ${perSecond.toFixed(0).padStart(7)} requests/s  ${cpuUs.toFixed(0).padStart(5)} us of CPU a request`,
    )
}
