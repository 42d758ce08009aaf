import { startRedis } from '@stagepass/testing'
import { expect, it } from 'vitest'
import { systemPlatform } from '../base/platform.js'
import { createBreaker } from './createBreaker.js'

it('a reply that arrived while the process was busy is not late', async () => {
  await using server = await startRedis()
  const client = await server.connect()
  const breaker = createBreaker(systemPlatform.clock, 50)
  const reply = breaker(() => client.ping())
  const busyUntil = performance.now() + 200
  setImmediate(() => {
    while (performance.now() < busyUntil);
  })
  expect(await reply).toBe('PONG')
})
