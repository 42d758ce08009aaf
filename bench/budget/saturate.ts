import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createEmulator, type EmulatorOptions } from '@stagepass/emulator'
import { startRedis } from '@stagepass/testing'
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
  /** Of the light users, shortest first. */
  readonly waits: readonly number[]
  readonly events: Readonly<Record<string, number>>
}

const INSTANCE = fileURLToPath(new URL('./instance.ts', import.meta.url))
const GREEDY_REQUESTS = 200
const LIGHT_USERS = ['light one', 'light two', 'light three', 'light four']

/** One account under more requests than it has slots: a greedy user with 200 in line, and four light ones, over some processes. */
export async function saturate(options: SaturateOptions): Promise<Saturation> {
  const { limiter, strict, processes, seconds } = options
  await using redis = await startRedis()
  await using upstream = await createEmulator({ limiter, latency: { ms: 15, jitterMs: 10 } })
  const children = Array.from({ length: processes }, (_, index) =>
    launch({
      socketPath: redis.socketPath,
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
  for (const child of children) child.send('go')
  const done = await Promise.all(reports)
  const statuses = upstream.requests.map(({ status }) => status)

  const events: Record<string, number> = {}
  for (const report of done)
    for (const [type, count] of Object.entries(report.events)) events[type] = (events[type] ?? 0) + count
  return {
    answered: statuses.filter((status) => status === 200).length,
    refused: statuses.filter((status) => status === 429).length,
    waits: done.flatMap((report) => report.waits).toSorted((a, b) => a - b),
    events,
  }
}

function launch(settings: InstanceSettings): ChildProcess {
  return fork(INSTANCE, [JSON.stringify(settings)], {
    execArgv: ['--import', 'tsx', '--conditions=@stagepass/source'],
  })
}
