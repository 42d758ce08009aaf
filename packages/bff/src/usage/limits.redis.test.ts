import type { RedisClient, RedisEval } from '@stagepass/budget'
import { startRedis, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { createBreaker } from './createBreaker.js'
import { createRedisCount } from './createRedisCount.js'

it('while Redis is lost, each instance counts for itself', async () => {
  await using server = await startRedis()
  const client = await createClient({
    socket: { path: server.socketPath, tls: false, reconnectStrategy: false },
    disableOfflineQueue: true,
  }).connect()
  client.on('error', () => undefined)
  const limits = { tokensPerMinute: 2 }
  await using first = await startStack({ bff: { redis: client, limits } })
  await using second = await startStack({ bff: { redis: client, limits } })
  const mint = async (stack: typeof first) =>
    (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).status
  expect([await mint(first), await mint(second), await mint(first)]).toEqual([200, 200, 429])
  expect(await client.keys('stagepass:{main}:tokensPerMinute:*')).toHaveLength(1)
  await server.close()
  expect([await mint(first), await mint(first), await mint(first)]).toEqual([200, 200, 429])
  expect([await mint(second), await mint(second), await mint(second)]).toEqual([200, 200, 429])
  client.destroy()
})

it('all kinds of clients share one count', async () => {
  await using server = await startRedis()
  const nodeRedis = await server.connect()
  const ioredis = new Redis({ path: server.socketPath })
  await ioredis.ping()
  const run: RedisEval = (script, keys, args) =>
    nodeRedis.eval(script, { keys: [...keys], arguments: [...args] })
  const counts: number[] = []
  try {
    for (const redis of [nodeRedis, ioredis, run] as readonly (RedisClient | RedisEval)[]) {
      counts.push((await createRedisCount(redis)(['count:ada', 'forgotten'], 60_000)).count)
    }
  } finally {
    ioredis.disconnect()
  }
  expect(counts).toEqual([1, 2, 3])
})

it('no request waits for a client that has no connection', async () => {
  const ioredis = new Redis({ path: '/nowhere', maxRetriesPerRequest: null })
  ioredis.on('error', () => undefined)
  const count = createRedisCount(ioredis)
  const breaker = createBreaker(virtualClock(), 50)
  await expect(breaker(() => count(['count:ada', 'forgotten'], 60_000))).rejects.toThrow('has no connection')
  ioredis.disconnect()
})
