import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createEmulator, type LimiterKind } from '@stagepass/emulator'
import { startRedis } from '@stagepass/testing'
import type { InstanceSettings } from './instance.js'

export interface SaturateOptions {
  readonly limiter: LimiterKind
  readonly processes: number
  readonly seconds: number
}

export interface Saturation {
  /** Responses of the service with the statuses 200 and 429. */
  readonly answered: number
  readonly refused: number
  /** Waits of the light users, shortest first. */
  readonly waits: readonly number[]
  /** Calls of the budget's script for one response. */
  readonly scriptsARequest: number
}

const INSTANCE = fileURLToPath(new URL('./instance.ts', import.meta.url))
const GREEDY_REQUESTS = 200
const LIGHT_USERS = ['light one', 'light two', 'light three', 'light four']

/**
 * One account with more requests than slots, over several processes with a real redis-server: a greedy user
 * with 200 requests in the queue, and four light users. The service is 20 ms away.
 */
export async function saturate({ limiter, processes, seconds }: SaturateOptions): Promise<Saturation> {
  await using redis = await startRedis()
  await using upstream = await createEmulator({ limiter, latency: { ms: 15, jitterMs: 10 } })
  const children = Array.from({ length: processes }, (_, index) => {
    const settings: InstanceSettings = {
      redis: redis.socketPath,
      meetingsUrl: upstream.meetingsUrl,
      credential: upstream.meetingsCredential,
      isStrict: limiter === 'strict',
      seconds,
      greedyRequests: GREEDY_REQUESTS / processes,
      lightUsers: LIGHT_USERS.filter((_user, user) => user % processes === index),
    }
    return fork(INSTANCE, [JSON.stringify(settings)], {
      execArgv: ['--import', 'tsx', '--conditions=@stagepass/source'],
    })
  })
  // Each sends `ready`, and its waits at the end.
  await Promise.all(children.map((child) => once(child, 'message')))
  const client = await redis.connect()
  await client.sendCommand(['CONFIG', 'RESETSTAT'])
  const reports = children.map((child) => once(child, 'message') as Promise<[number[]]>)
  for (const child of children) child.send('go')
  const waits = (await Promise.all(reports)).flatMap(([own]) => own)
  const scripts = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1])
  const count = (wanted: number): number => upstream.requests.filter(({ status }) => status === wanted).length
  return {
    answered: count(200),
    refused: count(429),
    waits: waits.toSorted((a, b) => a - b),
    scriptsARequest: scripts / count(200),
  }
}
