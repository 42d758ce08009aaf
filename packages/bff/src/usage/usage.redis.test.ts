import { once } from 'node:events'
import { Problem, SessionTokenResponse, UsageResponse } from '@stagepass/contract/schemas'
import { type Stack, startRedis, startStack } from '@stagepass/testing'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import type { RedisClient, RedisEval } from '../index.js'

const userSecret = 'a secret that all of the instances have'
const MINUTE_MS = 60_000

async function connect(socketPath: string) {
  const client = await createClient({
    socket: { path: socketPath, tls: false, reconnectStrategy: 20 },
    disableOfflineQueue: true,
  })
    .on('error', () => undefined)
    .connect()
  return client
}

async function join(redis: RedisClient | RedisEval, minutesPerDay: number | { vt: number } = 20) {
  const stack = await startStack({ bff: { redis, userSecret } })
  stack.grant = { user: 'ada@example.com', usage: { minutesPerDay } }
  return stack
}

const mint = async (stack: Stack) => {
  const answer: unknown = await (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()
  return SessionTokenResponse.safeParse(answer).data ?? Problem.parse(answer)
}
const receiptOf = async (stack: Stack): Promise<string> => {
  const { usage_receipt = 'none' } = SessionTokenResponse.parse(await mint(stack))
  return usage_receipt
}
const report = async (stack: Stack, receipt: string) =>
  (await stack.fetch('/usage', { json: { receipt, used_ms: 0 } })).status
const read = async (stack: Stack) => {
  const { stt } = UsageResponse.parse(await (await stack.fetch('/usage')).json()).usage
  return [stt?.used_ms, (stt?.reserved_ms ?? 0) / MINUTE_MS]
}

it.each([
  ['node-redis', connect],
  [
    'ioredis',
    async (path: string) => {
      const client = new Redis(path).on('error', () => undefined)
      await once(client, 'ready')
      return Object.assign(client, { destroy: () => client.disconnect() })
    },
  ],
] as const)('S44 a receipt counts once over all instances, with %s', async (_name, open) => {
  await using server = await startRedis()
  const client = await open(server.socketPath)
  await using one = await join(client)
  await using other = await join(client)
  const receipt = await receiptOf(one)
  expect(await read(other)).toEqual([0, 10])
  const all = await Promise.all([one, other, one, other].map((stack) => report(stack, receipt)))
  expect(all.toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400])
  expect(await read(other)).toEqual([0, 0])
  await Promise.all([one, other, one, other].map(mint))
  expect(await read(one)).toEqual([0, 20])
  client.destroy()
})

it('S44 with a function that runs scripts', async () => {
  await using server = await startRedis()
  const client = await connect(server.socketPath)
  await using stack = await join((script, keys, args) =>
    client.eval(script, { keys: [...keys], arguments: args.map(String) }),
  )
  const receipt = await receiptOf(stack)
  expect(await report(stack, receipt)).toBe(200)
  expect(await read(stack)).toEqual([0, 0])
  client.destroy()
})

it('S46 names in Redis do not reveal a user, and every key ends by itself', async () => {
  await using server = await startRedis()
  const client = await connect(server.socketPath)
  await using stack = await join(client)
  await report(stack, await receiptOf(stack))
  await read(stack)
  const keys = (await client.keys('*')).filter((key) => key.includes(':usage'))
  expect(keys.length).toBeGreaterThan(2)
  for (const key of keys) {
    expect(key).not.toContain('ada')
    expect(key.startsWith('stagepass:{main}:usage:')).toBe(true)
    expect(await client.ttl(key)).toBeGreaterThan(0)
  }
  client.destroy()
})

it('S47 while Redis is lost nobody with a limit gets a token, and after it the count is as before', async () => {
  await using server = await startRedis()
  const client = await connect(server.socketPath)
  // As if the network were down: Redis keeps what it has.
  let isLost = false
  const run: RedisEval = async (script, keys, args) => {
    if (isLost) throw new Error('lost')
    return client.eval(script, { keys: [...keys], arguments: args.map(String) })
  }
  await using one = await join(run)
  await using counted = await join(run, { vt: 20 })
  const receipt = await receiptOf(one)
  isLost = true
  const lost = { error_code: 'USAGE_UNAVAILABLE', status: 503, retryable: true, retry_after_ms: 1_000 }
  expect(await mint(one)).toMatchObject(lost)
  expect(await report(one, receipt)).toBe(503)
  expect((await one.fetch('/usage')).status).toBe(503)
  // Nothing is lost if the product has no limit but the count.
  const token = await mint(counted)
  expect(token).toHaveProperty('session_key')
  expect(token).not.toHaveProperty('usage_receipt')
  isLost = false
  await expect.poll(() => report(one, receipt)).toBe(200)
  expect(await read(one)).toEqual([0, 0])
  client.destroy()
})

it('S47 a receipt from before Redis lost its data gives nothing back', async () => {
  await using server = await startRedis()
  const client = await connect(server.socketPath)
  await using stack = await join(client)
  const receipt = await receiptOf(stack)
  await client.flushAll()
  for (let turn = 0; turn < 3; turn++) expect(await report(stack, receipt)).toBe(400)
  expect(await read(stack)).toEqual([0, 0])
  await mint(stack)
  expect(await read(stack)).toEqual([0, 10])
  // The sum alone is lost, and the reservation is not.
  const kept = await receiptOf(stack)
  for (const key of await client.keys('*:taken:*')) await client.del(key)
  expect(await report(stack, kept)).toBe(200)
  expect(await read(stack)).toEqual([0, 0])
  client.destroy()
})

it('S47 an instance that ends leaves its reservations to the others', async () => {
  await using server = await startRedis()
  const client = await connect(server.socketPath)
  await using other = await join(client)
  const first = await join(client)
  const receipt = await receiptOf(first)
  await first.close()
  expect(await report(other, receipt)).toBe(200)
  expect(await read(other)).toEqual([0, 0])
  client.destroy()
})
