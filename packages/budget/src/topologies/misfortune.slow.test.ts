import { startRedis, startTcpProxy, type TcpProxy } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import { connect, SINGLE } from './clients.test.kit.js'
import { BUSY, served } from './failover.test.kit.js'
import { type Load, startLoad } from './startLoad.test.kit.js'

/*
 * One server, four clients of both libraries, and a failure under load. No request may be refused, and
 * afterwards all share the budget again.
 */

interface Scene {
  readonly load: Load
  readonly proxy: TcpProxy
  readonly pid: number
  readonly command: (...words: string[]) => Promise<unknown>
}

/** Returns the reasons of all events after the failure. */
async function survives(name: string, misfortune: (scene: Scene) => Promise<void>): Promise<string[]> {
  await using redis = await startRedis()
  await using proxy = await startTcpProxy(redis.socketPath)
  await using clients = await connect(SINGLE, [proxy.port])
  await using load = await startLoad(clients.list)
  await load.more(2 * BUSY)
  await load.shared()
  load.pause()
  const before = load.events.length
  await misfortune({
    load,
    proxy,
    pid: redis.pid,
    async command(...words) {
      const client = await redis.connect()
      await client.sendCommand(words)
    },
  })
  const within = load.pause()
  await load.shared()
  const backAt = performance.now()
  await load.more(2 * BUSY)
  await served(load, clients, backAt)
  const after = load.pause()
  process.stdout.write(
    `${name}: ${within.answers} answers in ${within.lastedMs} ms, longest pause ${within.pauseMs} ms; ` +
      `then ${after.answers} in ${after.lastedMs} ms, longest pause ${after.pauseMs} ms\n`,
  )
  expect(load.limited()).toBe(0)
  return load.events.slice(before).map(({ reason }) => reason)
}

describe.concurrent('work goes on, and no request is refused, when', () => {
  it('Redis hangs for longer than a window', async () => {
    const reasons = await survives('hangs', async ({ load: work, pid }) => {
      process.kill(pid, 'SIGSTOP')
      try {
        await work.more(20)
      } finally {
        process.kill(pid, 'SIGCONT')
      }
    })
    expect(reasons).toContain('back')
  })

  it('each call takes 100 ms each way', async () => {
    const reasons = await survives('slow', async ({ load: work, proxy }) => {
      // A call has 750 ms, and a busy machine needs some of it.
      proxy.delayMs = 100
      await work.more(BUSY)
      proxy.delayMs = 0
    })
    expect(reasons).not.toContain('lost')
  })

  it('the connections are cut, and new ones are accepted at once', async () => {
    const reasons = await survives('cut', async ({ load: work, proxy }) => {
      proxy.cut('take')
      await work.more(BUSY)
    })
    expect(reasons).not.toContain('state-lost')
  })

  it.each(['refuse', 'close'] as const)(
    'the connections are cut, and new ones: %s, for a while',
    async (then) => {
      const reasons = await survives(`cut, then ${then}`, async ({ load: work, proxy }) => {
        proxy.cut(then)
        await work.more(15)
        proxy.mend()
      })
      expect(reasons).toContain('back')
    },
  )

  it('the server is a replica that refuses writes, and becomes a master again', async () => {
    const reasons = await survives('read-only', async ({ load: work, command }) => {
      await command('replicaof', '127.0.0.1', '1')
      await work.more(15)
      await command('replicaof', 'no', 'one')
    })
    expect(reasons).toContain('back')
  })

  it('the script cache is flushed', async () => {
    const reasons = await survives('scripts flushed', async ({ load: work, command }) => {
      await command('script', 'flush')
      await work.more(BUSY)
    })
    expect(reasons).not.toContain('lost')
  })
})
