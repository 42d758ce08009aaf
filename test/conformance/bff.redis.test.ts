import { startRedis, startStack } from '@stagepass/testing'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import { ask } from './kit.js'

it('Redis holds neither secrets nor tokens nor meetings in the clear, and every key ends', async () => {
  await using server = await startRedis()
  const redis = createClient({ socket: { path: server.socketPath, tls: false } })
  await redis.connect()
  try {
    await using stack = await startStack({
      bff: { redis, limits: { tokensPerMinute: 30, meetingsPerMinute: 120 } },
    })
    stack.grant = {
      user: 'user-ada-4711',
      meetings: { credential: stack.upstream.meetingsCredential },
    }
    const token = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
    const list = await ask(`${stack.url}/meetings?limit=3&q=the`)
    expect([token.status, list.status]).toEqual([200, 200])
    const keys = await redis.keys('*')
    expect(keys.length).toBeGreaterThan(0)
    const dumped: string[] = []
    for (const key of keys) {
      expect(await redis.pTTL(key)).toBeGreaterThan(0)
      const type = await redis.type(key)
      const value =
        type === 'string'
          ? await redis.get(key)
          : type === 'hash'
            ? await redis.hGetAll(key)
            : type === 'zset'
              ? await redis.zRangeWithScores(key, 0, -1)
              : await redis.sendCommand(['DUMP', key])
      dumped.push(key, JSON.stringify(value))
    }
    const text = dumped.join('\n')
    for (const secret of [
      stack.upstream.apiKey,
      stack.upstream.meetingsCredential,
      String(token.body.session_key),
    ])
      expect(text).toBeWithout(secret)
    expect(text).not.toContain('user-ada-4711')
    for (const { id } of list.body.meetings as { id: string }[]) expect(text).not.toContain(id)
  } finally {
    redis.destroy()
  }
})

it('users of two instances share one limit and one budget', async () => {
  await using server = await startRedis()
  const redis = createClient({ socket: { path: server.socketPath, tls: false } })
  await redis.connect()
  try {
    const options = { bff: { redis, limits: { tokensPerMinute: 3 } } }
    await using one = await startStack(options)
    await using two = await startStack(options)
    const statuses: number[] = []
    for (const stack of [one, two, one, two, one])
      statuses.push((await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })).status)
    expect(statuses).toEqual([200, 200, 200, 429, 429])
  } finally {
    redis.destroy()
  }
})

it('a Redis that stands still holds up neither tokens nor the drain', async () => {
  await using server = await startRedis()
  const redis = createClient({ socket: { path: server.socketPath, tls: false } })
  await redis.connect()
  try {
    await using stack = await startStack({
      bff: { redis, deadlineMs: 2_000, limits: { tokensPerMinute: 30 } },
    })
    process.kill(server.pid, 'SIGSTOP')
    try {
      const token = await ask(`${stack.url}/session-token`, { json: { usage_type: 'stt' } })
      expect(token.status).toBe(200)
      const list = await ask(`${stack.url}/meetings`)
      expect(list).toBeProblem({ status: 503, code: 'BUDGET_EXHAUSTED', retryable: true, retryAfter: true })
      const health = await ask(`${stack.url}/health`)
      expect(health.status).toBe(503)
      expect(health.text).not.toContain(server.socketPath)
      await stack.bff.close()
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
  } finally {
    redis.destroy()
  }
}, 15_000)
