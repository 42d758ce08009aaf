import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createEmulator } from '@stagepass/emulator'
import { startRedis } from '@stagepass/testing'
import { bundleProgram } from '@stagepass/testing/bundleProgram'
import { expect, it } from 'vitest'
import type { BurstReport, BurstSettings } from './burstInstance.test.kit.js'

const PROCESSES = 16
const REQUESTS = 1_000

const report = async (child: ChildProcess): Promise<BurstReport> => {
  const [message] = (await once(child, 'message')) as [BurstReport]
  return message
}

it('1,000 requests in a burst over 16 processes: a few calls of each, no loss of Redis, no 429', async () => {
  const program = await bundleProgram(new URL('./burstInstance.test.kit.ts', import.meta.url), 'burst')
  await using redis = await startRedis()
  await using upstream = await createEmulator({ limiter: 'sliding', latency: { ms: 10, jitterMs: 20 } })
  const client = await redis.connect()
  const children = Array.from({ length: PROCESSES }, (_, name) => {
    const settings: BurstSettings = {
      socketPath: redis.socketPath,
      meetingsUrl: upstream.meetingsUrl,
      credential: upstream.meetingsCredential,
      name,
      requests: Math.ceil(REQUESTS / PROCESSES),
    }
    return fork(program, [JSON.stringify(settings)])
  })
  try {
    await Promise.all(children.map(report))
    await client.sendCommand(['CONFIG', 'RESETSTAT'])
    const reports = children.map(report)
    for (const child of children) child.send('go')
    const done = await Promise.all(reports)
    const stats = /cmdstat_evalsha:calls=(\d+).*?usec_per_call=([\d.]+)/.exec(
      await client.info('commandstats'),
    )
    const results: Record<string, number> = {}
    for (const each of done)
      for (const [result, count] of Object.entries(each.results))
        results[result] = (results[result] ?? 0) + count
    process.stdout.write(
      `${REQUESTS} requests over ${PROCESSES} processes: ${stats?.[1]} scripts of ${stats?.[2]} µs, ${JSON.stringify(results)}\n`,
    )
    expect(done.flatMap(({ events }) => events)).not.toContain('lost')
    expect(upstream.requests.filter(({ status }) => status === 429)).toEqual([])
    // An idle account gives ten slots at once, then the rest of a window one by one. No other slot is free
    // before the deadline.
    expect(results['200']).toBeGreaterThanOrEqual(10)
    expect(results['200']).toBeLessThanOrEqual(25)
    expect(Number(stats?.[1])).toBeLessThan(REQUESTS / 4)
  } finally {
    for (const child of children) child.kill('SIGKILL')
  }
})
