import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createEmulator, type EmulatorOptions } from '@stagepass/emulator'
import { startRedis } from '@stagepass/testing'
import { createClient } from 'redis'
import type { InstanceReport, InstanceSettings } from './vocabulary.js'

export interface SaturateOptions {
  readonly limiter: NonNullable<EmulatorOptions['limiter']>
  readonly strict: boolean
  readonly processes: number
  readonly seconds: number
}

export interface Saturation {
  readonly answered: number
  readonly refused: number
  /** Waits of the light users, shortest first. */
  readonly waits: readonly number[]
  readonly events: Readonly<Record<string, number>>
  /** Calls of the script a second, and the share of a core that Redis used. */
  readonly scriptsASecond: number
  readonly redisCpu: number
}

const INSTANCE = fileURLToPath(new URL('./instance.ts', import.meta.url))
const GREEDY_REQUESTS = 200
const LIGHT_USERS = ['light one', 'light two', 'light three', 'light four']

/**
 * One account with more requests than slots, over several processes: a greedy user with 200 requests in the
 * queue, and four light users.
 */
export async function saturate(options: SaturateOptions): Promise<Saturation> {
  const { limiter, strict, processes, seconds } = options
  await using redis = await startRedis()
  await using upstream = await createEmulator({ limiter, latency: { ms: 15, jitterMs: 10 } })
  const children = Array.from({ length: processes }, (_, index) =>
    launch({
      redis: { kind: 'socket', path: redis.socketPath },
      meetingsUrl: upstream.meetingsUrl,
      credential: upstream.meetingsCredential,
      strict,
      seconds,
      greedyRequests: GREEDY_REQUESTS / processes,
      lightUsers: LIGHT_USERS.filter((_user, user) => user % processes === index),
    }),
  )
  await Promise.all(children.map((child) => once(child, 'message')))
  const reports = children.map(async (child) => {
    const [report] = (await once(child, 'message')) as [InstanceReport]
    return report
  })
  const client = await createClient({ socket: { path: redis.socketPath, tls: false } }).connect()
  await client.sendCommand(['CONFIG', 'RESETSTAT'])
  const cpuBefore = cpuSeconds(await client.info('cpu'))
  for (const child of children) child.send('go')
  const done = await Promise.all(reports)
  const scripts = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1] ?? 0)
  const redisCpu = (cpuSeconds(await client.info('cpu')) - cpuBefore) / seconds
  await client.close()
  const statuses = upstream.requests.map(({ status }) => status)

  const events: Record<string, number> = {}
  for (const report of done)
    for (const [type, count] of Object.entries(report.events)) events[type] = (events[type] ?? 0) + count
  return {
    answered: statuses.filter((status) => status === 200).length,
    refused: statuses.filter((status) => status === 429).length,
    waits: done.flatMap((report) => report.waits).toSorted((a, b) => a - b),
    events,
    scriptsASecond: scripts / seconds,
    redisCpu,
  }
}

function cpuSeconds(info: string): number {
  const part = (name: string): number => Number(new RegExp(`used_cpu_${name}:([\\d.]+)`).exec(info)?.[1] ?? 0)
  return part('sys') + part('user')
}

/** Starts an instance. It sends `ready`, then waits for a message to begin. */
export function launch(settings: InstanceSettings): ChildProcess {
  return fork(INSTANCE, [JSON.stringify(settings)], {
    execArgv: ['--import', 'tsx', '--conditions=@stagepass/source'],
  })
}
