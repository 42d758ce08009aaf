import { startRedis, startStack } from '@stagepass/testing'
import { createClient } from 'redis'
import { expect, it } from 'vitest'

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
  await server.close()
  expect([await mint(first), await mint(first), await mint(first)]).toEqual([200, 200, 429])
  expect([await mint(second), await mint(second), await mint(second)]).toEqual([200, 200, 429])
  client.destroy()
})

it('S26 a count in Redis names account and limit, and never the user; it lives for a minute', async () => {
  await using server = await startRedis()
  const client = await createClient({ socket: { path: server.socketPath, tls: false } }).connect()
  try {
    await using stack = await startStack({
      bff: { redis: client, limits: { tokensPerMinute: 2, meetingsPerMinute: 2 } },
    })
    await stack.fetch('/session-token', { json: { usage_type: 'stt' } })
    const keys = (await client.keys('*')).filter((key) => key.includes('PerMinute'))
    expect(keys).toEqual([expect.stringMatching(/^stagepass:\{main\}:tokensPerMinute:[\w-]{22}$/)])
    const livesMs = await client.pTTL(keys[0] ?? '')
    expect(livesMs).toBeGreaterThan(0)
    expect(livesMs).toBeLessThanOrEqual(60_000)
  } finally {
    client.destroy()
  }
})
