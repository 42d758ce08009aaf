import { startClock, startRedis, startTcpProxy } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { connect, SINGLE } from './clients.test.kit.js'
import { BUSY, print, served } from './failover.test.kit.js'
import { startLoad } from './startLoad.test.kit.js'

/* The clock of a real server steps under load, once and then back. */

it.each([
  ['two seconds', 2_000],
  ['three hours', 10_800_000],
])(
  'S42 the clock of Redis steps by %s: an event each time, no request is refused, and all share again',
  async (name, byMs) => {
    using clock = startClock()
    await using redis = await startRedis(clock.env)
    await using proxy = await startTcpProxy(redis.socketPath)
    await using clients = await connect(SINGLE, [proxy.port])
    await using load = await startLoad(clients.list)
    await load.more(2 * BUSY)
    for (const step of [byMs, -byMs, -byMs, byMs]) {
      load.pause()
      const before = load.events.length
      const at = performance.now()
      clock.step(step)
      await load.more(BUSY)
      await served(load, clients, at)
      await load.shared()
      print(`clock ${step > 0 ? 'forward' : 'back'} by ${name}`, load)
      const seen = load.events.slice(before).filter(({ reason }) => reason === 'clock-stepped')
      expect(seen.map((event) => Math.round(Number(Reflect.get(event, 'byMs')) / 1_000))).toContain(
        step / 1_000,
      )
    }
    expect(load.limited()).toBe(0)
  },
)
