import { WITH_LEASE } from '@stagepass/contract'
import { LeaseAnswer, Problem, SessionTokenResponse } from '@stagepass/contract/schemas'
import { hang } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { describe, expect, it } from 'vitest'
import type { BffOptions, Grant, RedisEval } from '../index.js'
import { type Place, startTwo } from '../twoInstances.test.kit.js'

const DEADLINE_MS = 10_000
const JANUARY_30 = Date.parse('2030-01-30T12:00:00Z')
const OLD = 'vk_of_acme_0123456789'
const NEW = 'vk_of_acme_again_0123456789'
const BOLT = 'vk_of_bolt_0123456789'

/** Two instances on one Redis, or one in memory. */
async function setUp(kind: Place, options: Partial<BffOptions> = {}) {
  const state = { isLost: false, calls: 0 }
  const two = await startTwo(kind, (clock, redis) => {
    const startMs = clock.now()
    const counted: RedisEval | undefined =
      redis &&
      (async (...call) => {
        state.calls += 1
        if (state.isLost) throw new Error('lost')
        return redis(...call)
      })
    return startStack({
      emulator: { keys: [OLD, NEW, BOLT].map((key) => ({ key })) },
      bff: {
        redis: counted,
        deadlineMs: DEADLINE_MS,
        userSecret: 'a secret that all of the instances have',
        platform: { clock, wallNow: () => JANUARY_30 + clock.now() - startMs, random: () => 0 },
        ...options,
      },
    })
  })
  const { clock, client } = two
  const as = (stack: Stack, grant: Partial<Grant> = {}): void => {
    const meetings = { credential: stack.upstream.meetingsCredential }
    stack.grant = { user: 'ada', account: 'acme', apiKey: OLD, usage: {}, meetings, ...grant }
  }
  /** The status, or the code of the problem. */
  const ask = async (stack: Stack, path: string, grant?: Partial<Grant>, init: object = {}) => {
    as(stack, grant)
    const response = await stack.fetch(path, init)
    if (response.status < 300) return response.status
    const { error_code } = Problem.parse(await response.json())
    return `${response.status} ${error_code}`
  }
  const forget = async (stack: Stack, account = 'acme') => {
    const wait = { isOver: false }
    const done = stack.bff.forget({ account }).finally(() => (wait.isOver = true))
    // A rejection is the test's.
    done.catch(() => undefined)
    // With Redis it waits for requests of other instances. In memory it waits for its own, and no time passes.
    if (kind === 'memory') return done
    while (!wait.isOver) await clock.advance(1_000)
    return done
  }
  return {
    ...two,
    state,
    as,
    ask,
    mint: (stack: Stack, grant?: Partial<Grant>) =>
      ask(stack, '/session-token', grant, { json: { usage_type: 'stt' } }),
    forget,
    /** What Redis has of the keys of a customer. */
    register: async () => (client ? client.hGetAll('stagepass:{main}:keys:acme') : { inMemory: true }),
  }
}

describe.each(['memory', 'Redis'] as const)('S69 forget, in %s', (kind) => {
  it.each([
    ['a string', (key: string) => key],
    ['a function', (key: string) => () => key],
  ])('S69 the old key is refused by every instance, and another one is accepted: %s', async (_name, by) => {
    await using test = await setUp(kind)
    const { one, other, mint, ask } = test
    const [old, next] = [{ apiKey: by(OLD) }, { apiKey: by(NEW) }]
    expect(await mint(one, old)).toBe(200)
    await test.forget(other)
    const before = one.upstream.requests.length + other.upstream.requests.length
    for (const stack of [one, other, one]) {
      expect(await mint(stack, old)).toBe('403 ENDED_BY_SERVER')
      for (const path of ['/meetings', '/meetings/m1', '/tags', '/usage'])
        expect(await ask(stack, path, old)).toBe('403 ENDED_BY_SERVER')
    }
    expect(one.upstream.requests.length + other.upstream.requests.length).toBe(before)
    for (const stack of [one, other, one]) {
      expect(await mint(stack, next)).toBe(200)
      expect(await ask(stack, '/meetings', next)).toBe(200)
    }
    // A rolled back key store.
    expect(await mint(other, { apiKey: by(BOLT), account: 'bolt' })).toBe(200)
    await test.forget(one)
    for (const stack of [one, other])
      for (const grant of [old, next]) expect(await mint(stack, grant)).toBe('403 ENDED_BY_SERVER')
    expect(await mint(one, { apiKey: by(BOLT), account: 'bolt' })).toBe(200)
  })

  it('S69 a customer that has only read its list is refused too', async () => {
    await using test = await setUp(kind)
    const grant = { apiKey: () => OLD }
    expect(await test.ask(test.one, '/meetings', grant)).toBe(200)
    // The register learns the key beside the request. In memory `forget` waits for that.
    await expect.poll(test.register).not.toEqual({})
    await test.forget(test.other)
    expect(await test.mint(test.other, grant)).toBe('403 ENDED_BY_SERVER')
    expect(await test.ask(test.one, '/meetings', grant)).toBe('403 ENDED_BY_SERVER')
  })

  it('S69 it is refused with a later key too, which it had for two minutes', async () => {
    await using test = await setUp(kind)
    let key = OLD
    const read = () => test.ask(test.one, '/meetings', { apiKey: () => key })
    expect(await read()).toBe(200)
    key = NEW
    for (let minute = 0; minute < 2; minute += 1) {
      await test.clock.advance(60_000)
      expect(await read()).toBe(200)
    }
    const keysIn = async () => Object.keys(await test.register()).filter((name) => name.length === 22)
    await expect.poll(keysIn).toHaveLength(kind === 'Redis' ? 2 : 0)
    await test.forget(test.other)
    for (const stack of [test.one, test.other])
      expect(await test.ask(stack, '/meetings', { apiKey: () => NEW })).toBe('403 ENDED_BY_SERVER')
  })

  it('S69 after the customer has come back, a cached row with its old key gets no list', async () => {
    await using test = await setUp(kind)
    expect(await test.mint(test.one)).toBe(200)
    await test.forget(test.one)
    const read = (apiKey: string) => test.ask(test.one, '/meetings', { apiKey })
    for (let turn = 0; turn < 2; turn += 1)
      expect([await read(NEW), await read(OLD)]).toEqual([200, '403 ENDED_BY_SERVER'])
  })

  it('S69 the pages, and the minutes of the users, are gone; the minutes of the account stay', async () => {
    await using test = await setUp(kind)
    const { one, other, clock } = test
    const usage = { minutesPerDay: 10, minutesPerMonth: 10 }
    expect(await test.mint(one, { usage })).toBe(200)
    expect(await test.mint(other, { usage })).toBe('403 USAGE_EXHAUSTED')
    expect(await test.mint(one, { account: 'bolt', apiKey: BOLT, usage })).toBe(200)
    expect(await test.ask(one, '/tags')).toBe(200)
    const rows = () => other.bff.usage({ account: 'acme', from: '2030-01-30', to: '2030-01-30' })
    const before = await rows()
    expect(before).toEqual([{ day: '2030-01-30', product: 'stt', usedMs: 600_000 }])
    await test.forget(one)
    expect(await rows()).toEqual(before)
    // The customer is back at once.
    expect(await test.mint(other, { apiKey: NEW, usage })).toBe(200)
    const loaded = one.upstream.requests.length
    expect(await test.ask(one, '/tags', { apiKey: NEW })).toBe(200)
    expect(one.upstream.requests.length).toBe(loaded + 1)
    expect(await test.mint(other, { account: 'bolt', apiKey: BOLT, usage })).toBe('403 USAGE_EXHAUSTED')
    await clock.advance(1_000)
  })

  it('S69 a request that waits for the service gets no token', async () => {
    await using test = await setUp(kind)
    const { one, other } = test
    expect(await test.mint(one)).toBe(200)
    other.upstream.use(hang({ on: 'token' }))
    const waiting = test.mint(other)
    await expect.poll(() => other.upstream.requests.length).toBe(kind === 'memory' ? 2 : 1)
    await test.forget(one)
    expect(await waiting).toBe(kind === 'memory' ? '403 ENDED_BY_SERVER' : '504 UPSTREAM_TIMEOUT')
  })
})

it('S69 with sessions, open streams end at their next renewal, in all instances', async () => {
  await using test = await setUp('Redis', { sessions: { max: 9 } })
  const { one, other, ask } = test
  const press = { json: { usage_type: 'stt' }, headers: { accept: WITH_LEASE } }
  test.as(one)
  const { lease } = LeaseAnswer.parse(await (await one.fetch('/session-token', press)).json())
  const renew = (stack: Stack) => ask(stack, `/sessions/${lease}`, {}, { json: { holds: 'open' } })
  expect(await renew(other)).toBe(200)
  await test.forget(one)
  expect([await renew(one), await renew(other)]).toEqual(['410 ENDED_BY_SERVER', '410 ENDED_BY_SERVER'])
  expect(await ask(other, '/session-token', {}, press)).toBe('403 ENDED_BY_SERVER')
  // Another company is not affected, and the customer may come back at once.
  expect(await ask(one, '/session-token', { account: 'bolt', apiKey: BOLT }, press)).toBe(200)
  expect(await ask(other, '/session-token', { apiKey: NEW }, press)).toBe(200)
})

it('S69 a report after it is settled, so that the last bill is right', async () => {
  await using test = await setUp('Redis')
  const { one, other } = test
  test.as(one)
  const minted = await one.fetch('/session-token', { json: { usage_type: 'stt' } })
  const { usage_receipt: receipt } = SessionTokenResponse.parse(await minted.json())
  await test.forget(one)
  expect(await test.ask(other, '/usage', {}, { json: { receipt, used_ms: 3_000 } })).toBe(200)
  const query = { account: 'acme', from: '2030-01-30', to: '2030-01-30' }
  const [row] = await one.bff.usage(query)
  // Of ten minutes, not more than the time since the mint.
  expect(row?.usedMs).toBeLessThanOrEqual(3_000)
})

it('S69 an instance drops what it has with the next request of any customer', async () => {
  await using test = await setUp('Redis')
  const { one, other } = test
  // Budgets of the common account and of two customers.
  expect([
    await test.ask(other, '/meetings'),
    await test.ask(other, '/meetings', { account: 'bolt' }),
  ]).toEqual([200, 200])
  expect(other.bff.gauge().accounts).toBe(3)
  await test.forget(one)
  expect(other.bff.gauge().accounts).toBe(3)
  await test.mint(other, { account: 'bolt', apiKey: BOLT })
  await expect.poll(() => other.bff.gauge().accounts).toBe(2)
})

it('S69 Redis has no key of a customer in clear, and nothing of the users of one who is removed', async () => {
  await using test = await setUp('Redis')
  const { client } = test
  const usage = { minutesPerDay: 10, minutesPerMonth: 12 }
  await test.mint(test.one, { usage })
  await test.mint(test.one, { usage, user: 'grace' })
  await test.mint(test.one, { usage, account: 'bolt', apiKey: BOLT })
  const ofUsers = async () => {
    const names = (await client?.keys('stagepass:{main}:usage:*')) ?? []
    return names.filter((name) => /:(?:taken|used|reached):/.test(name)).length
  }
  // For each: a day and a month of two users and one, a sum of the account, its thresholds.
  expect(await ofUsers()).toBe(10)
  await test.forget(test.other)
  expect(await ofUsers()).toBe(5)
  expect(Object.entries(await test.register())).toEqual([
    ['last', '1'],
    [expect.stringMatching(/^[\w-]{22}$/), '-1'],
    ['at', '2'],
  ])
  expect(await client?.ttl('stagepass:{main}:keys:acme')).toBeGreaterThan(399 * 86_400)
})

it('S69 it rejects while Redis does not respond, and for what is not the name of an account', async () => {
  await using test = await setUp('Redis')
  await expect(test.one.bff.forget({ account: '' })).rejects.toThrow(
    'Failed to forget an account: "account" is not the name of an account.',
  )
  test.state.isLost = true
  await expect(test.one.bff.forget({ account: 'acme' })).rejects.toThrow('lost')
  // Other customers, and this one, go on.
  expect(await test.mint(test.one)).toBe(200)
})

it('a request costs no call of Redis more, from the second of a customer on', async () => {
  await using test = await setUp('Redis', { limits: { tokensPerMinute: 30 } })
  const calls = async (grant: Partial<Grant>) => {
    await test.mint(test.one, grant)
    const before = test.state.calls
    await test.mint(test.one, grant)
    return test.state.calls - before
  }
  // The count of the request, and the minutes.
  const [ofCommon, ofCustomer] = [await calls({ account: undefined, apiKey: undefined }), await calls({})]
  expect([ofCommon, ofCustomer]).toEqual([2, 2])
})
