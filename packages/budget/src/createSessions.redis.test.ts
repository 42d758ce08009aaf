import { startRedis } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { afterAll, describe, expect, it } from 'vitest'
import type { SessionsEvent } from './core/events.js'
import { createSessions } from './createSessions.js'
import { redisOn } from './redis/redisOn.test.kit.js'
import { type Sessions, SessionsRefusal } from './sessions/Sessions.js'
import type { SessionsOptions } from './SessionsOptions.js'

const server = await startRedis()
const client = await server.connect()
afterAll(() => server.close())

let accounts = 0

/** Sessions of a new account, by as many instances as `count`. */
function setUp(options: SessionsOptions = {}, { count = 1, shared = false } = {}) {
  const clock = virtualClock()
  const redis = redisOn(client, clock)
  const events: SessionsEvent[] = []
  const account = `sessions-${(accounts += 1)}`
  const given = { ...options, clock, account, onEvent: (event: SessionsEvent) => events.push(event) }
  const instances = Array.from({ length: count }, () =>
    createSessions(shared || count > 1 ? { ...given, redis: redis.evaluate } : given),
  )
  const [sessions] = instances
  if (!sessions) throw new Error('no instance')
  return {
    clock,
    redis,
    events,
    sessions,
    instances,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(instances.map((instance) => instance.close()))
    },
  }
}

/** Asks for a lease that must be there. */
async function lease(sessions: Sessions, user: string): Promise<string> {
  const { status, id } = await sessions.ask({ user })
  expect(status).toBe('leased')
  return id
}

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'fulfilled',
    (error: unknown) => (error instanceof SessionsRefusal ? error.reason : error),
  )

describe.each([
  ['in one process', false],
  ['in Redis', true],
])('%s', (_, shared) => {
  it('gives as many leases as there are sessions, then places in the queue', async () => {
    await using context = setUp({ max: 2 }, { shared })
    const { sessions } = context
    const first = await lease(sessions, 'ada')
    await lease(sessions, 'ben')
    expect(await sessions.ask({ user: 'cy' })).toMatchObject({
      status: 'queued',
      place: 1,
      of: 1,
      retryMs: 1_000,
    })
    const dee = await sessions.ask({ user: 'dee' })
    expect(dee).toMatchObject({ status: 'queued', place: 2, of: 2 })
    await sessions.release(first, 'ada')
    // A place is kept: who asks first is not first in the queue.
    expect(await sessions.ask({ user: 'dee', id: dee.id })).toMatchObject({ status: 'queued', place: 2 })
    expect(sessions.gauge()).toEqual({ open: 1, waiting: 2, max: 2, learned: false })
  })

  it('a request that is late keeps its place, and holds up no other', async () => {
    await using context = setUp({ max: 1 }, { shared })
    const { sessions, clock } = context
    const first = await lease(sessions, 'ada')
    const cy = await sessions.ask({ user: 'cy' })
    const dee = await sessions.ask({ user: 'dee' })
    await clock.advance(5_000)
    await sessions.release(first, 'ada')
    expect(await sessions.ask({ user: 'dee', id: dee.id })).toMatchObject({ status: 'leased' })
    expect(await sessions.ask({ user: 'cy', id: cy.id })).toMatchObject({ status: 'queued', place: 1 })
  })

  it('a lease ends 25 s after its last renewal, and 75 s if the page is in the background', async () => {
    await using context = setUp({ max: 2 }, { shared })
    const { sessions, clock } = context
    const ada = await lease(sessions, 'ada')
    const ben = await lease(sessions, 'ben')
    await sessions.renew(ada, { user: 'ada' })
    await sessions.renew(ben, { user: 'ben', isHidden: true })
    await clock.advance(24_900)
    const { id } = await sessions.ask({ user: 'cy' })
    expect(await sessions.ask({ user: 'cy', id })).toMatchObject({ status: 'queued' })
    await clock.advance(200)
    expect(await sessions.ask({ user: 'cy', id })).toMatchObject({ status: 'leased' })
    await sessions.release(id, 'cy')
    await clock.advance(49_000)
    expect(await sessions.list()).toMatchObject([{ user: 'ben' }])
    await clock.advance(1_000)
    expect(await sessions.list()).toEqual([])
  })

  it('an open session whose lease has run out gets it again, above the number too', async () => {
    await using context = setUp({ max: 1 }, { shared })
    const { sessions, clock } = context
    const ada = await lease(sessions, 'ada')
    await clock.advance(26_000)
    await lease(sessions, 'ben')
    expect(await sessions.renew(ada, { user: 'ada', holds: 'opening' })).toMatchObject({ status: 'unknown' })
    expect(await sessions.renew(ada, { user: 'ada', holds: 'open' })).toMatchObject({ status: 'leased' })
    expect(sessions.gauge().open).toBe(2)
    expect(await sessions.ask({ user: 'cy' })).toMatchObject({ status: 'queued' })
  })

  it('a lease in silence is kept while no other waits, then taken back, and its user stands first', async () => {
    await using context = setUp({ max: 1 }, { shared })
    const { sessions, clock } = context
    const ada = await lease(sessions, 'ada')
    await sessions.renew(ada, { user: 'ada', holds: 'open' })
    for (let times = 0; times < 4; times += 1) {
      await clock.advance(10_000)
      expect(await sessions.renew(ada, { user: 'ada', holds: 'parked' })).toMatchObject({ status: 'leased' })
    }
    const ben = await lease(sessions, 'ben')
    expect(await sessions.renew(ada, { user: 'ada', holds: 'parked' })).toMatchObject({ status: 'asleep' })
    const cy = await sessions.ask({ user: 'cy' })
    await sessions.ask({ user: 'ada', id: ada })
    await sessions.release(ben, 'ben')
    expect(await sessions.ask({ user: 'cy', id: cy.id })).toMatchObject({ status: 'queued', place: 2 })
    expect(await sessions.ask({ user: 'ada', id: ada })).toMatchObject({ status: 'leased' })
  })

  it('a user has at most perUser sessions and five requests, and delays no other user with them', async () => {
    await using context = setUp({ max: 3, perUser: 1 }, { shared })
    const { sessions } = context
    await lease(sessions, 'ada')
    for (let times = 0; times < 5; times += 1)
      expect(await sessions.ask({ user: 'ada' })).toMatchObject({ status: 'queued' })
    expect(await reasonOf(sessions.ask({ user: 'ada' }))).toBe('user-full')
    await lease(sessions, 'ben')
    await lease(sessions, 'cy')
  })

  it('shares by weight: a user of weight 2 has twice as many', async () => {
    await using context = setUp({ max: 6 }, { shared })
    const { sessions, clock } = context
    const held = await Promise.all(Array.from({ length: 6 }, () => lease(sessions, 'first')))
    const asked: { readonly id: string; readonly user: string; readonly weight: number }[] = []
    for (const [user, weight] of [
      ['ada', 1],
      ['ben', 2],
    ] as const)
      for (let times = 0; times < 5; times += 1) {
        const { id } = await sessions.ask({ user, weight })
        asked.push({ id, user, weight })
      }
    for (const id of held) await sessions.release(id, 'first')
    const leased: string[] = []
    for (let round = 0; round < 3; round += 1) {
      for (const request of asked) {
        const { status } = await sessions.ask(request)
        if (status === 'leased' && !leased.includes(request.id)) leased.push(request.id)
      }
      await clock.advance(1_000)
    }
    const ofBen = leased.filter((id) => asked.some((one) => one.id === id && one.user === 'ben'))
    expect(leased).toHaveLength(6)
    expect(ofBen).toHaveLength(4)
  })

  it('an id belongs to its user', async () => {
    await using context = setUp({}, { shared })
    const { sessions } = context
    const ada = await lease(sessions, 'ada')
    expect(await reasonOf(sessions.ask({ user: 'ben', id: ada }))).toBe('foreign')
    expect(await sessions.renew(ada, { user: 'ben' })).toMatchObject({ status: 'unknown' })
    await sessions.release(ada, 'ben')
    expect(await reasonOf(sessions.refused(ada, 'ben'))).toBe('foreign')
    expect(await sessions.list()).toMatchObject([{ id: ada, user: 'ada' }])
  })

  it('learns the number from a refusal, and tries one more after a minute', async () => {
    await using context = setUp({}, { shared })
    const { sessions, clock, events } = context
    const open = await Promise.all(
      ['ada', 'ben', 'cy'].map(async (user) => [await lease(sessions, user), user] as const),
    )
    for (const [id, user] of open) await sessions.renew(id, { user, holds: 'open' })
    const dee = await lease(sessions, 'dee')
    expect(await sessions.refused(dee, 'dee')).toMatchObject({ status: 'queued', place: 1, retryMs: 1_000 })
    expect(sessions.gauge()).toMatchObject({ max: 3, learned: true })
    expect(events).toContainEqual({ type: 'sessions.limit', reason: 'lowered', max: 3 })
    const wait = async (ms: number): Promise<void> => {
      for (let left = ms; left > 0; left -= 10_000) {
        await clock.advance(10_000)
        for (const [id, user] of open) await sessions.renew(id, { user, holds: 'open' })
      }
    }
    await wait(50_000)
    expect(await sessions.ask({ user: 'dee', id: dee })).toMatchObject({ status: 'queued' })
    await wait(20_000)
    expect(await sessions.ask({ user: 'dee', id: dee })).toMatchObject({ status: 'leased' })
    // It opens, and all others are still there: then four sessions are proven.
    await sessions.renew(dee, { user: 'dee', holds: 'open' })
    open.push([dee, 'dee'])
    await wait(90_000)
    expect(sessions.gauge()).toMatchObject({ max: 4 })
    expect(events).toContainEqual({ type: 'sessions.limit', reason: 'raised', max: 4 })
  })

  it('a refusal counts more than what was open before it', async () => {
    await using context = setUp({ max: 3 }, { shared })
    const { sessions, clock } = context
    const open = await Promise.all(
      ['ada', 'ben', 'cy'].map(async (user) => [await lease(sessions, user), user] as const),
    )
    const renew = async (): Promise<void> => {
      for (const [id, user] of open) await sessions.renew(id, { user })
    }
    await renew()
    for (let times = 0; times < 7; times += 1) {
      await clock.advance(10_000)
      await renew()
    }
    await clock.advance(10_000)
    // Its connection is lost, and the service still counts it.
    const [[lost, user] = ['', '']] = open.splice(0, 1)
    await sessions.renew(lost, { user, holds: 'opening' })
    await sessions.refused(lost, user)
    expect(sessions.gauge().max).toBe(2)
    await renew()
    expect(sessions.gauge().max).toBe(2)
    expect(await sessions.ask({ user, id: lost })).toMatchObject({ status: 'queued' })
  })

  it.each([{ max: 1 }, {}])(
    'a refusal while no other session is open: later tries, not one after the other: %j',
    async (rules) => {
      await using context = setUp(rules, { shared })
      const { sessions, clock } = context
      const id = await lease(sessions, 'ada')
      expect(await sessions.refused(id, 'ada')).toMatchObject({
        status: 'queued',
        place: 1,
        of: 1,
        retryMs: 1_000,
      })
      expect(sessions.gauge()).toMatchObject({ max: 0, learned: true })
      const triedS: number[] = []
      for (let second = 1; second <= 60; second += 1) {
        await clock.advance(1_000)
        const { status } = await sessions.ask({ user: 'ada', id })
        if (status !== 'leased') continue
        triedS.push(second)
        await sessions.refused(id, 'ada')
      }
      expect(triedS).toEqual([5, 14, 31])
      await clock.advance(31_000)
      await sessions.ask({ user: 'ada', id })
      await sessions.renew(id, { user: 'ada' })
      expect(sessions.gauge()).toMatchObject({ open: 1, max: 1 })
    },
  )

  it('tries no session above the maximum, also if one has come back that had none', async () => {
    await using context = setUp({ max: 1 }, { shared })
    const { sessions, clock } = context
    const ada = await lease(sessions, 'ada')
    await clock.advance(26_000)
    const ben = await lease(sessions, 'ben')
    await sessions.refused(ben, 'ben')
    await sessions.renew(ada, { user: 'ada' })
    for (let second = 0; second < 20; second += 1) {
      await clock.advance(1_000)
      expect((await sessions.ask({ user: 'ben', id: ben })).status).toBe('queued')
    }
  })

  it('says that another program uses the account when the number stays lower', async () => {
    await using context = setUp({ max: 2 }, { shared })
    const { sessions, clock, events } = context
    const ada = await lease(sessions, 'ada')
    const ben = await lease(sessions, 'ben')
    await sessions.renew(ada, { user: 'ada', holds: 'open' })
    await sessions.refused(ben, 'ben')
    for (let times = 0; times < 7; times += 1) {
      await clock.advance(10_000)
      await sessions.renew(ada, { user: 'ada', holds: 'open' })
    }
    expect(events).toEqual([
      { type: 'sessions.limit', reason: 'lowered', max: 1 },
      { type: 'sessions.limit', reason: 'foreign-use', max: 1 },
    ])
  })

  it('ends the sessions of a user, one session, or all, and gives them none for a while', async () => {
    await using context = setUp({}, { shared })
    const { sessions, clock } = context
    const [ada, ben, cy] = [
      await lease(sessions, 'ada'),
      await lease(sessions, 'ben'),
      await lease(sessions, 'cy'),
    ]
    await sessions.end({ user: 'ada' })
    expect(await sessions.renew(ada, { user: 'ada' })).toMatchObject({ status: 'ended' })
    expect(await reasonOf(sessions.ask({ user: 'ada' }))).toBe('ended')
    await sessions.end({ id: ben }, 5_000)
    expect(await sessions.renew(ben, { user: 'ben' })).toMatchObject({ status: 'ended' })
    await lease(sessions, 'ben')
    expect(await sessions.renew(cy, { user: 'cy' })).toMatchObject({ status: 'leased' })
    await clock.advance(20_000)
    // Later than `forMs`, a page that renews once a minute still learns it.
    expect(await sessions.renew(ben, { user: 'ben' })).toMatchObject({ status: 'ended' })
    await sessions.end({})
    expect(await sessions.renew(cy, { user: 'cy' })).toMatchObject({ status: 'ended' })
    expect(await reasonOf(sessions.ask({ user: 'new' }))).toBe('ended')
    await clock.advance(61_000)
    await lease(sessions, 'ada')
  })

  it('an end has a text, and refuses a request that needs no lease too', async () => {
    await using test = setUp({ max: 3 }, { shared })
    const { sessions, clock } = test
    const id = await lease(sessions, 'ada')
    await sessions.check('ada')
    await sessions.end({ user: 'ada' }, 3_600_000, 'no "more" today')
    const refusal = await sessions.check('ada').catch((error: unknown) => error)
    expect(refusal).toMatchObject({ reason: 'ended', note: 'no "more" today', retryAfterMs: 3_600_000 })
    await sessions.check('bob')
    expect(await sessions.renew(id, { user: 'ada' })).toMatchObject({
      status: 'ended',
      note: 'no "more" today',
    })
    expect(await reasonOf(sessions.refused(id, 'ada'))).toBe('ended')
    // A state in Redis lives as long as the end.
    await clock.advance(3_599_000)
    expect(await reasonOf(sessions.ask({ user: 'ada' }))).toBe('ended')
    await clock.advance(1_000)
    expect((await sessions.ask({ user: 'ada' })).status).toBe('leased')
  })

  it('knows how long a request has waited, and how long a session was open', async () => {
    await using test = setUp({ max: 1 }, { shared })
    const { sessions, clock } = test
    const first = await sessions.ask({ user: 'ada' })
    expect(first).toMatchObject({ status: 'leased', waitedMs: 0 })
    const second = await sessions.ask({ user: 'bob' })
    await clock.advance(10_000)
    expect(await sessions.renew(first.id, { user: 'ada' })).toMatchObject({ status: 'leased', forMs: 10_000 })
    await sessions.ask({ user: 'bob', id: second.id })
    await clock.advance(5_000)
    expect(await sessions.release(first.id, 'ada')).toBe(15_000)
    expect(await sessions.release(first.id, 'ada')).toBeUndefined()
    // The times of requests are made unique, by a millisecond.
    expect(await sessions.ask({ user: 'bob', id: second.id })).toMatchObject({ waitedMs: 14_999 })
  })

  it('the number may be a function, which is called each time', async () => {
    let max: number | undefined = 1
    await using test = setUp({ max: () => max }, { shared })
    const { sessions } = test
    await lease(sessions, 'ada')
    const { status, id } = await sessions.ask({ user: 'bob' })
    expect(status).toBe('queued')
    max = 2
    expect((await sessions.ask({ user: 'bob', id })).status).toBe('leased')
    expect(sessions.gauge()).toMatchObject({ open: 2, max: 2, learned: false })
    max = undefined
    await lease(sessions, 'cleo')
    expect(sessions.gauge().max).toBeUndefined()
    max = 0
    await expect(sessions.ask({ user: 'bob' })).rejects.toThrow('max is 0')
  })

  it('acquire waits for its turn, renews by itself, and releases at the end of a block', async () => {
    await using context = setUp({ max: 1 }, { shared })
    const { sessions, clock } = context
    const first = await sessions.acquire({ user: 'ada' })
    await clock.advance(60_000)
    expect(await sessions.list()).toMatchObject([{ user: 'ada' }])
    const second = sessions.acquire({ user: 'ben' })
    const aborted = sessions.acquire({ user: 'cy', signal: AbortSignal.abort('no') })
    expect(await reasonOf(aborted)).toBe('no')
    const leaving = new AbortController()
    const left = reasonOf(sessions.acquire({ user: 'dee', signal: leaving.signal }))
    await clock.advance(2_000)
    expect(sessions.gauge().waiting).toBe(2)
    leaving.abort('left')
    expect(await left).toBe('left')
    await clock.settle()
    expect(sessions.gauge().waiting).toBe(1)
    await first[Symbol.asyncDispose]()
    await clock.advance(2_000)
    const held = await second
    expect(held.signal.aborted).toBe(false)
    await sessions.end({ user: 'ben' })
    await clock.advance(11_000)
    expect(held.signal.aborted).toBe(true)
    await held.release()
    expect(await sessions.list()).toEqual([])
  })
})

it('instances share one queue', async () => {
  await using context = setUp({ max: 3 }, { count: 3 })
  const { instances } = context
  const answers = []
  for (let number = 0; number < 6; number += 1)
    answers.push(await instances[number % 3]?.ask({ user: `user-${number}` }))
  expect(answers).toMatchObject([
    { status: 'leased' },
    { status: 'leased' },
    { status: 'leased' },
    { status: 'queued', place: 1 },
    { status: 'queued', place: 2 },
    { status: 'queued', place: 3 },
  ])
})

it('while Redis is lost, an instance renews each lease and gives its share of what was free', async () => {
  await using context = setUp({ max: 7 }, { count: 2 })
  const { instances, redis, clock, events } = context
  const [one, two] = instances
  if (!one || !two) throw new Error('no instance')
  const ada = await lease(one, 'ada')
  await lease(two, 'ben')
  await lease(one, 'cy')
  redis.down = true
  expect(await one.renew(ada, { user: 'ada' })).toMatchObject({ status: 'leased' })
  // Seven less three, for two instances.
  const alone = [await lease(one, 'dee'), await lease(one, 'eve')]
  expect(await one.ask({ user: 'fay' })).toMatchObject({ status: 'queued', place: null, of: null })
  expect(one.degraded()).toBe('Redis does not respond')
  expect(events).toMatchObject([{ type: 'sessions.store', reason: 'lost', limit: 2 }])
  redis.down = false
  await clock.advance(2_000)
  expect(one.degraded()).toBeUndefined()
  for (const [index, id] of alone.entries())
    expect(await one.renew(id, { user: ['dee', 'eve'][index] ?? '', holds: 'open' })).toMatchObject({
      status: 'leased',
    })
  expect(one.gauge().open).toBe(5)
  expect(events.at(-1)).toEqual({ type: 'sessions.store', reason: 'back' })
})

it('a later request finds that Redis is back, if no timer runs between requests, as in a Worker', async () => {
  const clock = virtualClock()
  const redis = redisOn(client, clock)
  const account = `sessions-${(accounts += 1)}`
  const sleepy = { ...clock, after: () => () => {} }
  const sessions = createSessions({ max: 2, clock: sleepy, redis: redis.evaluate, account })
  const id = await lease(sessions, 'ada')
  redis.down = true
  expect(await sessions.renew(id, { user: 'ada' })).toMatchObject({ status: 'leased' })
  expect(sessions.degraded()).toBe('Redis does not respond')
  await clock.advance(2_000)
  expect(await sessions.renew(id, { user: 'ada' })).toMatchObject({ status: 'leased' })
  redis.down = false
  await clock.advance(1_000)
  await sessions.renew(id, { user: 'ada' })
  expect(sessions.degraded()).toBe('Redis does not respond')
  await clock.advance(1_000)
  await sessions.renew(id, { user: 'ada' })
  expect(sessions.degraded()).toBeUndefined()
  await sessions.close()
})

it('while Redis is lost, only a lease that was given meanwhile makes room when it is released', async () => {
  await using context = setUp({ max: 3 }, { shared: true })
  const { sessions, redis } = context
  const ada = await lease(sessions, 'ada')
  const ben = await lease(sessions, 'ben')
  redis.down = true
  const cy = await lease(sessions, 'cy')
  expect(await sessions.ask({ user: 'cy', id: cy })).toMatchObject({ status: 'leased' })
  const dee = await sessions.ask({ user: 'dee' })
  expect(dee).toMatchObject({ status: 'queued' })
  // A place in the queue, an unknown id, and a session from before the loss.
  await sessions.release(dee.id, 'dee')
  await sessions.release(crypto.randomUUID(), 'ben')
  await sessions.release(ada, 'ada')
  expect(await sessions.ask({ user: 'eve' })).toMatchObject({ status: 'queued' })
  for (let times = 0; times < 2; times += 1) await sessions.release(cy, 'cy')
  await lease(sessions, 'fay')
  expect(await sessions.ask({ user: 'gus' })).toMatchObject({ status: 'queued' })
  expect(await sessions.renew(ben, { user: 'ben' })).toMatchObject({ status: 'leased' })
})

it('after a loss in which leases were given or ran out, none is given before all are renewed', async () => {
  await using context = setUp({ max: 2 }, { count: 2 })
  const { instances, redis, clock } = context
  const [one, two] = instances
  if (!one || !two) throw new Error('no instance')
  const ada = await lease(one, 'ada')
  await one.renew(ada, { user: 'ada' })
  const ben = await lease(two, 'ben')
  const waiting = await one.ask({ user: 'cy' })
  redis.down = true
  for (let times = 0; times < 3; times += 1) {
    await clock.advance(10_000)
    await one.renew(ada, { user: 'ada' })
    await two.renew(ben, { user: 'ben' })
  }
  redis.down = false
  await clock.advance(2_000)
  expect(await one.ask({ user: 'cy', id: waiting.id })).toMatchObject({ status: 'queued', place: 1 })
  await clock.advance(8_000)
  await one.renew(ada, { user: 'ada' })
  await two.renew(ben, { user: 'ben' })
  await clock.advance(5_000)
  expect(await one.ask({ user: 'cy', id: waiting.id })).toMatchObject({ status: 'queued', place: 1 })
  await two.release(ben, 'ben')
  expect(await one.ask({ user: 'cy', id: waiting.id })).toMatchObject({ status: 'leased' })
  // A short loss delays no lease.
  redis.down = true
  await one.renew(ada, { user: 'ada' })
  redis.down = false
  await clock.advance(2_000)
  await one.release(ada, 'ada')
  await lease(two, 'dee')
})

it('an instance that starts while Redis is lost gives no more than the maximum', async () => {
  await using context = setUp({ max: 3, reserve: 1 }, { shared: true })
  const { sessions, redis } = context
  redis.down = true
  await lease(sessions, 'ada')
  await lease(sessions, 'ben')
  expect(await sessions.ask({ user: 'cy' })).toMatchObject({ status: 'queued', place: null })
})

it('says what Redis answers if it refuses', async () => {
  await using context = setUp({}, { shared: true })
  const { sessions, redis, events } = context
  redis.down = true
  redis.message = "NOPERM this user has no permissions to run the 'eval' command"
  await lease(sessions, 'ada')
  expect(events).toMatchObject([{ type: 'sessions.store', reason: 'lost', limit: Infinity, reply: 'NOPERM' }])
  expect(sessions.degraded()).toBe('Redis answers NOPERM')
})

it('after Redis has lost its data, no new lease is given before the holders have renewed theirs', async () => {
  await using context = setUp({ max: 2 }, { shared: true })
  const { sessions, clock, events } = context
  const ada = await lease(sessions, 'ada')
  await clock.advance(1_000)
  await client.flushAll()
  const ben = await sessions.ask({ user: 'ben' })
  expect(ben).toMatchObject({ status: 'queued' })
  expect(events).toEqual([{ type: 'sessions.store', reason: 'state-lost' }])
  await clock.advance(10_000)
  expect(await sessions.renew(ada, { user: 'ada', holds: 'open' })).toMatchObject({ status: 'leased' })
  expect(await sessions.ask({ user: 'ben', id: ben.id })).toMatchObject({ status: 'queued' })
  await clock.advance(2_100)
  expect(await sessions.ask({ user: 'ben', id: ben.id })).toMatchObject({ status: 'leased' })
  expect(sessions.gauge().open).toBe(2)
})

it('after close there is no lease, and no timer is left', async () => {
  await using context = setUp({}, { shared: true })
  const { sessions, clock } = context
  await sessions.acquire({ user: 'ada' })
  await sessions.close()
  await sessions.close()
  expect(await reasonOf(sessions.ask({ user: 'ben' }))).toBe('closing')
  expect(clock.timers).toBe(0)
})

it.each<[name: string, options: unknown, message: RegExp]>([
  ['a maximum of 0', { max: 0 }, /max is 0\. Give a whole number from 1/],
  ['a reserve without a maximum', { reserve: 1 }, /reserve is a part of max/],
  ['a reserve as large as the maximum', { max: 2, reserve: 2 }, /reserve is 2/],
  ['a misspelt option', { maximum: 2 }, /no option "maximum"/],
  ['a listener that is no function', { onEvent: 1 }, /onEvent is 1/],
])('refuses %s', (_, options, message) => {
  expect(() => createSessions(options as SessionsOptions)).toThrow(message)
})

it.each<[name: string, request: unknown, message: RegExp]>([
  ['no user', {}, /user is undefined/],
  ['a weight of 0', { user: 'ada', weight: 0 }, /weight is 0/],
  ['a note that is no text', { user: 'ada', note: 1 }, /note is 1/],
  ['an empty id', { user: 'ada', id: '' }, /id is a string/],
])('refuses a request with %s', async (_, request, message) => {
  const sessions = createSessions()
  await expect(sessions.ask(request as { user: string })).rejects.toThrow(message)
  await sessions.close()
})
