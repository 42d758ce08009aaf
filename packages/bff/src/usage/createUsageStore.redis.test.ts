import { startRedis } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { createUsageStore } from './createUsageStore.js'
import { NO_LIMITS, reservedMsOf, SUMS, sumsOf } from './usageRules.js'

const MINUTE_MS = 60_000
const DAY = '2030-01-01:stt:acme:ada'

async function start() {
  const server = await startRedis()
  const client = await server.connect()
  const clock = virtualClock()
  const redis = createUsageStore({ redis: client, account: 'main', clock })
  const memory = createUsageStore({ redis: undefined, account: 'main', clock })
  const nameOf = (rest: string) => `stagepass:{main}:usage:${rest}`
  return {
    client,
    redis,
    memory,
    nameOf,
    /** Lets time pass for the reservations: in Redis by a shorter time to live. */
    async age(ms: number, ids: readonly string[]) {
      clock.jump(ms)
      await Promise.all(
        ids.map(async (id) => {
          const restMs = await client.pTTL(nameOf(id))
          if (restMs > ms) await client.pExpire(nameOf(id), restMs - ms)
          else await client.del(nameOf(id))
        }),
      )
    },
    async [Symbol.asyncDispose]() {
      await server.close()
    },
  }
}

it('S47 Redis and the memory of a process count by the same rules', async () => {
  await using test = await start()
  const { redis, memory, client, nameOf } = test
  let seed = 1
  const upTo = (max: number): number => (seed = (seed * 48_271) % 2_147_483_647) % (max + 1)
  const ids: string[] = []
  let lastSettled = 'none'
  const seen = new Set<string>()
  const corrected = new Set<string>()

  async function reserve(key: string, id: string) {
    const limit = () => (upTo(3) === 0 ? Infinity : upTo(200) * MINUTE_MS + upTo(MINUTE_MS))
    // The other sums have the tokens of more days and users.
    const more = () => (upTo(2) > 0 ? Infinity : upTo(900) * MINUTE_MS + upTo(MINUTE_MS))
    const limits = {
      'user day': limit(),
      // In memory, the month is counted only for users with a limit.
      'user month': Math.min(more(), 1_000_000 * MINUTE_MS),
      'account day': more(),
      'account month': more(),
    }
    const wanted = { wantedMs: (5 + upTo(30)) * MINUTE_MS, leastMs: 5 * MINUTE_MS, limits }
    // With 0 reported ms, the running clock of Redis makes no difference.
    const old = upTo(1) === 0 ? lastSettled : ids[upTo(ids.length - 1)]
    const replaced =
      upTo(1) === 0 && old !== undefined ? { id: old, reportedMs: 0, isOfOtherDay: upTo(3) === 0 } : undefined
    const alone =
      replaced && reservedMsOf((await memory.read([key]))[0]?.taken ?? 0, wanted, limits['user day'])
    const expected = await memory.reserve(key, id, wanted, replaced)
    if (typeof expected === 'string') seen.add('next')
    else {
      const { reservedMs, refusedBy, crossed } = expected
      if (alone !== undefined && reservedMs > alone) seen.add('replaced')
      seen.add(reservedMs === 0 ? 'refused' : reservedMs < wanted.wantedMs ? 'cut' : 'whole')
      for (const sum of refusedBy) seen.add(`refused by ${sum}`)
      for (const { sum, percent } of crossed) if (percent === 100) seen.add(`100 % of ${sum}`)
    }
    return [await redis.reserve(key, id, wanted, replaced), expected]
  }

  async function settle(key: string, id: string) {
    const reportedMs = [undefined, 0, upTo(90 * MINUTE_MS)][upTo(2)]
    lastSettled = id
    const next = upTo(1) === 0 ? `next.${id.replace(' ', '.')}` : undefined
    const expected = await memory.settle(key, id, reportedMs, 'one', next)
    const settled = await redis.settle(key, id, reportedMs, 'one', next)
    seen.add(expected === undefined ? 'closed' : expected.isLate ? 'late' : 'settled')
    // The clock of Redis runs while the test does.
    const moreMs = settled && expected ? settled.usedMs - expected.usedMs : 0
    if (!settled || moreMs <= 0 || moreMs >= MINUTE_MS) return [settled, expected]
    // The same call again has changed no sum.
    if (!corrected.has(id)) {
      const { userMonth, account, fields } = sumsOf(key)
      for (const sum of [`taken:${key}`, `used:${key}`, `taken:${userMonth}`])
        await client.decrBy(nameOf(sum), moreMs)
      for (const field of Object.values(fields))
        await client.hIncrBy(nameOf(`taken:${account}`), field, -moreMs)
    }
    corrected.add(id)
    return [{ ...settled, usedMs: settled.usedMs - moreMs }, expected]
  }

  for (let step = 0; step < 600; step++) {
    const key = `2030-01-0${1 + upTo(2)}:stt:acme:${['ada', 'eve'][upTo(1)]}`
    const known = ids[upTo(ids.length - 1)] ?? 'none'
    const command = upTo(6)
    let replies: unknown[] = []
    // Some commands arrive twice, or after their cancellation, or alone.
    if (command === 0) replies = await reserve(key, known)
    else if (command < 3) replies = await reserve(key, ids[ids.push(`id ${step}`) - 1] ?? '')
    else if (command < 5) replies = await settle(key, known)
    else if (command === 5) {
      const id = upTo(1) === 0 ? known : (ids[ids.push(`early ${step}`) - 1] ?? '')
      await Promise.all([memory.cancel(key, id), redis.cancel(key, id)])
    } else await test.age(upTo(10 * MINUTE_MS), ids)
    const days = [1, 2, 3].map((day) => `2030-01-0${day}:stt:acme:ada`)
    const months = ['2030-01:acme', '2030-02:acme']
    expect([replies[0], await redis.read(days), await redis.readAccount(months)]).toEqual([
      replies[1],
      await memory.read(days),
      await memory.readAccount(months),
    ])
  }
  const whole = SUMS.flatMap((sum) => [`100 % of ${sum}`, `refused by ${sum}`])
  expect([...seen].filter((what) => whole.includes(what)).toSorted()).toEqual(whole.toSorted())
  expect([...seen].filter((what) => !whole.includes(what)).toSorted()).toEqual([
    'closed',
    'cut',
    'late',
    'next',
    'refused',
    'replaced',
    'settled',
    'whole',
  ])
})

it('S55 a key that cannot be read changes no other key', async () => {
  await using test = await start()
  const { redis, client, nameOf } = test
  const wanted = {
    wantedMs: 10 * MINUTE_MS,
    leastMs: 5 * MINUTE_MS,
    limits: { ...NO_LIMITS, 'user day': 60 * MINUTE_MS },
  }
  await redis.reserve(DAY, 'a', wanted)
  for (const rest of [`taken:${DAY}`, `used:${DAY}`, 'a']) {
    const name = nameOf(rest)
    const saved = await client.get(name)
    for (const spoil of [() => client.set(name, 'no number'), () => client.lPush(name, 'a list')]) {
      await client.del(name)
      await spoil()
      const others = [`taken:${DAY}`, `used:${DAY}`, 'a'].filter((other) => other !== rest).map(nameOf)
      const before = await client.mGet(others)
      await expect(redis.settle(DAY, 'a', 0, 'one')).rejects.toThrow(/^[A-Z]+ /)
      await expect(redis.cancel(DAY, 'a')).rejects.toThrow(/^[A-Z]+ /)
      expect(await client.mGet(others)).toEqual(before)
    }
    await client.del(name)
    // A day and ten minutes: the whole time of the reservation.
    if (saved !== null) await client.set(name, saved, { expiration: { type: 'EX', value: 87_000 } })
  }
  await client.lPush(nameOf('b'), 'a list')
  await expect(redis.reserve(DAY, 'b', wanted)).rejects.toThrow(/^[A-Z]+ /)
  await expect(redis.reserve(DAY, 'c', wanted, { id: 'b', reportedMs: 0 })).rejects.toThrow(/^[A-Z]+ /)
  expect(await redis.read([DAY])).toEqual([{ taken: 10 * MINUTE_MS, used: 0, month: 10 * MINUTE_MS }])
  expect(await redis.settle(DAY, 'a', 0, 'one')).toEqual({ usedMs: 0, isLate: false, by: 'one' })
})

it('a sum keeps its time to live, and gets one again', async () => {
  await using test = await start()
  const { redis, client, nameOf } = test
  const wanted = { wantedMs: 10 * MINUTE_MS, leastMs: 5 * MINUTE_MS, limits: NO_LIMITS }
  const taken = nameOf(`taken:${DAY}`)
  await redis.reserve(DAY, 'a', wanted)
  await client.expire(taken, 1_000)
  await redis.reserve(DAY, 'b', wanted)
  expect(await client.ttl(taken)).toBeLessThanOrEqual(1_000)
  await client.persist(taken)
  await redis.cancel(DAY, 'a')
  expect(await client.ttl(taken)).toBeGreaterThan(1_000)
  expect(await redis.read([DAY])).toEqual([{ taken: 10 * MINUTE_MS, used: 0, month: 10 * MINUTE_MS }])
})

it.each(['redis', 'memory'] as const)(
  'S44 %s: the same call again has the same result for a minute, and changes no sum',
  async (name) => {
    await using test = await start()
    const store = test[name]
    const wanted = { wantedMs: 10 * MINUTE_MS, leastMs: 5 * MINUTE_MS, limits: NO_LIMITS }
    const settle = (id: string, reportedMs: number | undefined, instance: string) =>
      store.settle(DAY, id, reportedMs, instance)
    for (const id of ['a', 'b', 'late', 'gone']) await store.reserve(DAY, id, wanted)
    await test.age(2 * MINUTE_MS, ['a', 'b', 'late', 'gone'])
    const first = { usedMs: MINUTE_MS, isLate: false, by: 'one' }
    expect(await settle('a', MINUTE_MS, 'one')).toEqual(first)
    expect(await settle('b', undefined, 'one')).toEqual({ usedMs: 10 * MINUTE_MS, isLate: false, by: 'one' })
    const sums = structuredClone(await store.read([DAY]))
    // Another process gets the result too, and the name of the first.
    for (const instance of ['one', 'two']) expect(await settle('a', MINUTE_MS, instance)).toEqual(first)
    expect(await settle('b', undefined, 'two')).toMatchObject({ usedMs: 10 * MINUTE_MS, by: 'one' })
    for (const other of [0, MINUTE_MS + 1, undefined]) expect(await settle('a', other, 'one')).toBeUndefined()
    expect(await settle('b', 0, 'one')).toBeUndefined()
    await store.cancel(DAY, 'gone')
    expect(await settle('gone', 0, 'one')).toBeUndefined()
    await store.cancel(DAY, 'a')
    expect(await settle('a', MINUTE_MS, 'one')).toEqual(first)
    expect(await store.reserve(DAY, 'a', wanted)).toMatchObject({ reservedMs: 0, refusedBy: [] })
    await test.age(10 * MINUTE_MS, ['late'])
    const late = { usedMs: 10 * MINUTE_MS, isLate: true, by: 'one' }
    for (const instance of ['one', 'two']) expect(await settle('late', 0, instance)).toEqual(late)
    const [before] = sums
    const [after] = await store.read([DAY])
    // Only `gone` was cancelled, and `late` was settled.
    expect(after).toMatchObject({
      taken: (before?.taken ?? 0) - 10 * MINUTE_MS,
      used: (before?.used ?? 0) + 10 * MINUTE_MS,
    })
    await test.age(MINUTE_MS + 1, ['a'])
    expect(await settle('a', MINUTE_MS, 'one')).toBeUndefined()
  },
)
