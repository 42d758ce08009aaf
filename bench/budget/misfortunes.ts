import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createEmulator, type Emulator } from '@stagepass/emulator'
import { startRedis, startTcpProxy, type TcpProxy } from '@stagepass/testing'
import { createClient } from 'redis'
import {
  startCluster,
  startSentinel,
  type Topology,
} from '../../packages/budget/src/topologies/startTopology.test.kit.js'
import { launch } from './saturate.js'
import type { RedisPlace } from './vocabulary.js'

/*
 * Failures of Redis or of an instance, while more requests come than the account allows: three processes, a
 * real Redis, and an upstream with a sliding limit. Prints how many requests got 429, and the longest time
 * without a response of 200, counted from the failure.
 *
 * `npm run budget-misfortunes -w @stagepass/bench`; `-- --runs 1 --only FLUSHALL` for a part of it.
 */

const argument = (name: string, fallback: string): string => {
  const index = process.argv.indexOf(`--${name}`)
  return index < 0 ? fallback : (process.argv[index + 1] ?? fallback)
}
const runs = Number(argument('runs', '10'))
const only = argument('only', '')

const INSTANCES = 3
/** More responses than a window has. */
const BUSY = 26
const SLOTS_KEY = 'stagepass:{bench}:budget:state'

interface Ground {
  readonly instances: readonly ChildProcess[]
  /** Each instance has its own proxy. */
  readonly proxies: readonly TcpProxy[]
  /** Process id of the redis-server. */
  readonly pid: () => number
  readonly restart: (downMs: number) => Promise<void>
  readonly command: (...words: string[]) => Promise<unknown>
}

const cutOff =
  (durationMs: number) =>
  async ({ proxies: [proxy] }: Ground): Promise<void> => {
    proxy?.cut('refuse')
    await delay(durationMs)
    proxy?.mend()
  }

const ON_ONE_SERVER: Readonly<Record<string, (ground: Ground) => Promise<unknown>>> = {
  'nothing goes wrong': () => delay(5_000),
  'Redis is killed and restarted, empty': ({ restart }) => restart(1_000),
  FLUSHALL: ({ command }) => command('FLUSHALL'),
  'CLIENT KILL of all': ({ command }) => command('CLIENT', 'KILL', 'TYPE', 'normal'),
  'Redis stands still for 8 s': async ({ pid }) => {
    process.kill(pid(), 'SIGSTOP')
    await delay(8_000)
    process.kill(pid(), 'SIGCONT')
  },
  'an instance is killed with slots in flight': async ({ instances: [first] }) => first?.kill('SIGKILL'),
  'one instance is cut off for 3 s': cutOff(3_000),
  'one instance is cut off for 5.5 s': cutOff(5_500),
  'one instance is cut off for 12 s': cutOff(12_000),
}

const FAIL_OVERS: Readonly<Record<string, () => Promise<Topology>>> = {
  'the master of a Sentinel is killed': startSentinel,
  'the master of a Cluster is killed': startCluster,
}

interface Result {
  readonly limited: number
  readonly pauseMs: number
}

/** Runs instances under load, then causes the failure, then waits for three windows. */
async function observe(
  places: readonly RedisPlace[],
  misfortune: (instances: readonly ChildProcess[]) => Promise<unknown>,
): Promise<Result> {
  await using upstream = await createEmulator({ limiter: 'sliding', latency: { ms: 15, jitterMs: 10 } })
  const instances = places.map((redis) =>
    launch({
      redis,
      meetingsUrl: upstream.meetingsUrl,
      credential: upstream.meetingsCredential,
      strict: false,
      seconds: 300,
      greedyRequests: 20,
      lightUsers: ['light'],
    }),
  )
  try {
    await Promise.all(instances.map(ready))
    for (const instance of instances) instance.send('go')
    await more(upstream, 2 * BUSY)
    const since = Date.now()
    await misfortune(instances)
    await more(upstream, 3 * BUSY)
    const times = [since, ...timesOf(upstream, 200).filter((at) => at > since)]
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? at))
    return { limited: timesOf(upstream, 429).length, pauseMs: Math.max(...pauses) }
  } finally {
    for (const instance of instances) instance.kill('SIGKILL')
  }
}

async function ready(instance: ChildProcess): Promise<void> {
  const ended = once(instance, 'exit').then(() => {
    throw new Error('An instance ended before it was ready.')
  })
  await Promise.race([once(instance, 'message'), ended])
}

const timesOf = ({ requests }: Emulator, wanted: number): number[] =>
  requests.filter(({ status }) => status === wanted).map(({ at }) => at)

async function more(upstream: Emulator, count: number): Promise<void> {
  const goal = timesOf(upstream, 200).length + count
  while (timesOf(upstream, 200).length < goal) await delay(50)
}

async function onOneServer(misfortune: (ground: Ground) => Promise<unknown>): Promise<Result> {
  await using redis = await startRedis()
  const proxies = await Promise.all(Array.from({ length: INSTANCES }, () => startTcpProxy(redis.socketPath)))
  const command = async (...words: string[]): Promise<unknown> => {
    const client = await createClient({ socket: { path: redis.socketPath, tls: false } })
      .on('error', () => undefined)
      .connect()
    const answer = await client.sendCommand(words)
    client.destroy()
    return answer
  }
  const ground = {
    proxies,
    command,
    pid: () => redis.pid,
    restart: (downMs: number) => redis.restart(downMs),
  }
  try {
    return await observe(
      proxies.map(({ port }) => ({ kind: 'single', ports: [port] })),
      (instances) => misfortune({ ...ground, instances }),
    )
  } finally {
    for (const proxy of proxies) await proxy[Symbol.asyncDispose]()
  }
}

async function failOver(start: () => Promise<Topology>): Promise<Result> {
  await using topology = await start()
  const place: RedisPlace = { kind: topology.kind, ports: topology.ports }
  // `await`, because otherwise Redis would end first.
  return await observe(
    Array.from({ length: INSTANCES }, () => place),
    async () => topology.kill(await topology.masterOf(SLOTS_KEY)),
  )
}

interface Kind {
  readonly name: string
  readonly atOnce: number
  readonly run: () => Promise<Result>
}
const kinds: readonly Kind[] = [
  ...Object.entries(ON_ONE_SERVER).map(([name, misfortune]) => ({
    name,
    atOnce: 5,
    run: () => onOneServer(misfortune),
  })),
  // Two at once could take the same free ports.
  ...Object.entries(FAIL_OVERS).map(([name, start]) => ({ name, atOnce: 1, run: () => failOver(start) })),
]

console.log('| misfortune | runs | 429s, all runs | longest pause: median | the longest |')
console.log('| --- | --- | --- | --- | --- |')
for (const { name, atOnce, run } of kinds.filter((kind) => kind.name.includes(only))) {
  const results: Result[] = []
  while (results.length < runs)
    results.push(...(await Promise.all(Array.from({ length: Math.min(atOnce, runs - results.length) }, run))))
  const pauses = results.map(({ pauseMs }) => pauseMs).toSorted((a, b) => a - b)
  const limited = results.reduce((sum, result) => sum + result.limited, 0)
  const seconds = (ms = 0): string => `${(ms / 1_000).toFixed(1)} s`
  console.log(
    `| ${name} | ${runs} | ${limited} | ${seconds(pauses[Math.floor(runs / 2)])} | ${seconds(pauses.at(-1))} |`,
  )
}
process.exit()
