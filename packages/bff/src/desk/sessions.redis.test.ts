import type { IncomingMessage } from 'node:http'
import type { Grant } from '@stagepass/bff'
import { createSessions } from '@stagepass/budget'
import { WITH_LEASE } from '@stagepass/contract'
import {
  HandshakeCheckResponse,
  LeaseAnswer,
  Problem,
  QueueAnswer,
  RenewalAnswer,
  SessionTokenResponse,
  UsageResponse,
} from '@stagepass/contract/schemas'
import { fail } from '@stagepass/emulator'
import { type Stack, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it, vi } from 'vitest'
import type { BffOptions, RedisEval, SessionsOptions } from '../index.js'
import { type Place, startTwo } from '../twoInstances.test.kit.js'

const MINUTE_MS = 60_000
const userSecret = 'a secret that all of the instances have'

/** One instance, or two on one Redis. Without Redis time is virtual. */
async function setUp(
  kind: Place,
  bff: Partial<BffOptions> = {},
  emulator: { maxSessions?: number } = {},
  /** Of the other instance. */
  ofOther: Partial<BffOptions> = {},
) {
  const calls: string[] = []
  let isLost = false
  const two = await startTwo(kind, (clock, redis, nth) => {
    const losing: RedisEval | undefined =
      redis &&
      (async (script, keys, args) => {
        calls.push(keys[0] ?? '')
        if (isLost) throw new Error('lost')
        return redis(script, keys, args)
      })
    return startStack({
      emulator,
      bff: {
        sessions: { max: 1 },
        limits: { tokensPerMinute: Infinity, sessionsPerMinute: Infinity },
        redis: losing,
        userSecret,
        ...(kind === 'memory' && { platform: { clock, random: () => 0 } }),
        ...bff,
        ...(nth === 1 && ofOther),
      },
    })
  })
  return {
    ...two,
    calls,
    lose: () => (isLost = true),
    be(grant: Grant) {
      two.one.grant = two.other.grant = grant
    },
  }
}

const read = async (response: Promise<Response>) => {
  const { status } = await response
  return { status, body: (await (await response).json().catch(() => undefined)) as unknown }
}
const press = (stack: Stack, body: object = {}) =>
  read(
    stack.fetch('/session-token', { json: { usage_type: 'stt', ...body }, headers: { accept: WITH_LEASE } }),
  )
const mint = (stack: Stack) => read(stack.fetch('/session-token', { json: { usage_type: 'stt' } }))
const ask = (stack: Stack, ticket?: string) =>
  read(stack.fetch('/sessions', { json: { usage_type: 'stt', ticket } }))
const renew = (stack: Stack, lease: string, body: object = {}) =>
  read(stack.fetch(`/sessions/${lease}`, { json: body }))
const release = (stack: Stack, lease: string) => read(stack.fetch(`/sessions/${lease}`, { method: 'DELETE' }))

const leaseOf = async (stack: Stack): Promise<string> =>
  SessionTokenResponse.parse((await press(stack)).body).lease ?? ''
const ticketOf = async (stack: Stack): Promise<string> => QueueAnswer.parse((await press(stack)).body).ticket

describe.each(['memory', 'Redis'] as const)('sessions that are counted in %s', (kind) => {
  it('a press gets its session with its token, or a place and no token', async () => {
    await using test = await setUp(kind)
    const first = await press(test.one)
    expect(first.status).toBe(200)
    const token = SessionTokenResponse.parse(first.body)
    expect(token).toMatchObject({ renew_in_ms: 10_000, sessions: 'full' })
    const minted = test.one.upstream.requests.length + test.other.upstream.requests.length
    const second = await press(test.other)
    expect(second.status).toBe(202)
    const { ticket, ...place } = QueueAnswer.parse(second.body)
    expect(place).toEqual({ place: 1, of: 1, retry_in_ms: 1_000, sessions: 'full' })
    expect(test.one.upstream.requests.length + test.other.upstream.requests.length - minted).toBe(0)
    expect(await ask(test.one, ticket)).toMatchObject({ status: 202, body: { ticket, place: 1 } })
    expect(await release(test.other, token.lease ?? '')).toMatchObject({ status: 204 })
    const given = await ask(test.one, ticket)
    expect(given.status).toBe(200)
    expect(LeaseAnswer.parse(given.body).lease).toBe(ticket)
    const types = [...new Set([test.one, test.other])].flatMap(({ events }) =>
      events.flatMap(({ type }) => (type.startsWith('session.') ? [type] : [])),
    )
    expect(types.toSorted()).toEqual([
      'session.leased',
      'session.leased',
      'session.queued',
      'session.released',
    ])
  })

  it('a lease is renewed in every instance, and a hidden or parked one too', async () => {
    await using test = await setUp(kind)
    const lease = await leaseOf(test.one)
    for (const body of [{}, { holds: 'opening' }, { hidden: true }, { holds: 'parked' }])
      expect(RenewalAnswer.parse((await renew(test.other, lease, body)).body).renew_in_ms).toBe(10_000)
    expect(await renew(test.one, lease, { holds: 'closed' })).toMatchObject({
      status: 400,
      body: { field: 'holds' },
    })
  })

  it('S66 a lease and a ticket of another user are 404, and nothing of them is seen or changed', async () => {
    await using test = await setUp(kind)
    const lease = await leaseOf(test.one)
    const ticket = await ticketOf(test.other)
    test.be({ user: 'eve' })
    for (const id of [lease, ticket, `${lease}x`, 'x', '%2e%2e']) {
      expect(await renew(test.one, id)).toMatchObject({ status: 404 })
      expect(await release(test.other, id)).toMatchObject({ status: 404 })
    }
    // Her own place, not that of the other user. It is before his, because he has a session.
    const mine = QueueAnswer.parse((await ask(test.one, ticket)).body)
    expect(mine.ticket).not.toBe(ticket)
    expect(mine).toMatchObject({ place: 1, of: 2 })
    test.be({ user: 'ada' })
    expect((await renew(test.other, lease)).status).toBe(200)
    expect(QueueAnswer.parse((await ask(test.other, ticket)).body).place).toBe(2)
    // The user of the same name, in another account.
    test.be({ user: 'ada', account: 'acme' })
    expect((await renew(test.one, lease)).status).toBe(404)
  })

  it('S66 a user holds at most `perUser`, and has at most five places', async () => {
    await using test = await setUp(kind, { sessions: { max: 9, perUser: 1 } })
    await leaseOf(test.one)
    for (let place = 1; place <= 5; place++) await ticketOf(place % 2 === 0 ? test.one : test.other)
    const refused = await press(test.one)
    expect(refused).toMatchObject({ status: 429, body: { error_code: 'RATE_LIMITED', retryable: true } })
    test.be({ user: 'grace' })
    expect((await press(test.one)).status).toBe(200)
  })

  it('who waits has reserved nothing, and too few minutes are refused before the wait', async () => {
    await using test = await setUp(kind)
    await leaseOf(test.one)
    test.be({ user: 'grace', usage: { minutesPerDay: 12 } })
    await ticketOf(test.other)
    const { usage } = UsageResponse.parse(await (await test.one.fetch('/usage')).json())
    expect(usage.stt?.reserved_ms).toBe(0)
    test.be({ user: 'bob', usage: { minutesPerDay: 4 } })
    expect(Problem.parse((await press(test.one)).body).error_code).toBe('USAGE_EXHAUSTED')
  })

  it('a token that was not minted gives its session back', async () => {
    await using test = await setUp(kind)
    test.one.upstream.use(fail('BALANCE_EXHAUSTED', { times: 1 }))
    expect((await press(test.one)).status).toBe(403)
    expect((await press(test.other)).status).toBe(200)
  })

  it('S66 after `end` resolves each instance refuses tokens, sessions and renewals, with the reason', async () => {
    await using test = await setUp(kind, { sessions: { max: 9 } })
    const lease = await leaseOf(test.one)
    await test.one.bff.end({ user: 'ada' }, { reason: 'The trial is over.', untilMs: 30 * MINUTE_MS })
    for (const stack of [test.one, test.other]) {
      for (const answer of [press(stack), mint(stack), ask(stack), ask(stack, lease)]) {
        const { status, body } = await answer
        expect([status, Problem.parse(body)]).toEqual([
          403,
          expect.objectContaining({
            error_code: 'ENDED_BY_SERVER',
            retryable: false,
            reason: 'The trial is over.',
          }),
        ])
        expect(Problem.parse(body).retry_after_ms).toBeGreaterThan(29 * MINUTE_MS)
      }
      expect(await renew(stack, lease)).toMatchObject({
        status: 410,
        body: { error_code: 'ENDED_BY_SERVER', reason: 'The trial is over.' },
      })
    }
    test.be({ user: 'grace' })
    expect((await press(test.one)).status).toBe(200)
  })

  it('`sessions` lists who is on, and `end` by id ends one session alone', async () => {
    await using test = await setUp(kind, { sessions: { max: 9 } })
    const leases = [await leaseOf(test.one), await leaseOf(test.other)]
    test.be({ user: 'eve', account: 'acme' })
    const leaseOfEve = await leaseOf(test.one)
    const open = await test.other.bff.sessions()
    expect(open).toHaveLength(2)
    expect(open[0]).toMatchObject({ user: 'ada', account: undefined, product: 'stt' })
    expect(Math.abs(Number(open[0]?.since) - Date.now())).toBeLessThan(10_000)
    const [ofAcme] = await test.other.bff.sessions({ account: 'acme', user: 'eve' })
    expect(ofAcme).toMatchObject({ user: 'eve', account: 'acme' })
    expect(await test.other.bff.sessions({ account: 'acme', user: 'ada' })).toEqual([])
    await test.one.bff.end({ id: open[0]?.id ?? '' })
    test.be({ user: 'ada' })
    const answers = await Promise.all(leases.map((lease) => renew(test.other, lease)))
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '410'])
    await test.one.bff.end({ id: ofAcme?.id ?? '' })
    await test.other.bff.end({ account: null })
    expect((await press(test.one)).status).toBe(403)
    test.be({ user: 'eve', account: 'acme' })
    expect((await renew(test.one, leaseOfEve)).status).toBe(410)
    expect((await press(test.one)).status).toBe(200)
  })

  it('one diagnosis is for all pages of the account, and a refusal keeps the place of its page', async () => {
    // The service allows fewer than the host believes.
    await using test = await setUp(kind, { sessions: { max: 9 } }, { maxSessions: 0 })
    const pages = await Promise.all(
      [test.one, test.one, test.one].map(async (stack) =>
        SessionTokenResponse.parse((await press(stack)).body),
      ),
    )
    const checks = () => test.one.upstream.counts.handshake
    const before = checks()
    const answers = await Promise.all(
      pages.map(async ({ session_key, lease }) => {
        const json = { usage_type: 'stt', session_key, lease }
        return HandshakeCheckResponse.parse((await read(test.one.fetch('/handshake-check', { json }))).body)
      }),
    )
    expect(checks() - before).toBe(1)
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: false, error_code: 'concurrency_limit_exceeded', retryable: true })
    const places = answers.flatMap((answer) => ('ticket' in answer ? [answer.place] : []))
    expect(places.length).toBeGreaterThan(1)
    const tickets = answers.flatMap((answer) => ('ticket' in answer ? [answer.ticket] : []))
    expect(pages.map(({ lease }) => lease)).toEqual(expect.arrayContaining(tickets))
  })
})

it('`sessions` says since when a session is open', async () => {
  await using test = await setUp('memory')
  await leaseOf(test.one)
  // Only the time of the store is virtual, so the session seems to have begun before now.
  await test.clock.advance(5_000)
  const [open] = await test.one.bff.sessions()
  expect(Date.now() - Number(open?.since)).toBeGreaterThanOrEqual(5_000)
})

it('`sessions` has the user of a lease if this instance can read it, and no lease of another version', async () => {
  const usersOf = async ({ bff }: Stack) => (await bff.sessions()).map(({ user }) => user)
  await using test = await setUp(
    'Redis',
    { sessions: { max: 9 } },
    {},
    { userSecret: 'another secret than that of the first' },
  )
  const ofOther = createSessions({ max: 9, redis: test.client, account: 'main' })
  await ofOther.ask({
    user: 'a name',
    weight: undefined,
    note: 'a-product-of-later ada',
    id: 'an-id-of-a-later-version',
  })
  await leaseOf(test.one)
  expect([await usersOf(test.one), await usersOf(test.other)]).toEqual([['ada'], ['']])
  await ofOther.close()
})

it('an answer says whether a page may open beside its request', async () => {
  await using test = await setUp('Redis', { sessions: { max: 5 } })
  const offers = async (count: number): Promise<unknown[]> => {
    const found: unknown[] = []
    for (let at = 0; at < count; at++) found.push((await press(test.one)).body)
    return found.map((body) => Object(body).sessions as unknown)
  }
  // With two free sessions others may be faster.
  const full = Array.from({ length: 7 }, () => 'full')
  expect(await offers(9)).toEqual(['free', 'free', ...full])
  await using unlimited = await setUp('Redis', { sessions: {} })
  expect((await press(unlimited.one)).body).toMatchObject({ sessions: 'free' })
  unlimited.lose()
  expect((await press(unlimited.one)).body).toMatchObject({ sessions: 'full' })
})

describe('the diagnosis of a refused page', () => {
  const check = (stack: Stack, session_key: string, lease: string | undefined) =>
    read(stack.fetch('/handshake-check', { json: { usage_type: 'stt', session_key, lease } }))
  const pressed = async (stack: Stack) => SessionTokenResponse.parse((await press(stack)).body)

  it('is that of the account for ten seconds, if that was full', async () => {
    await using test = await setUp('memory', { sessions: { max: 9 } }, { maxSessions: 0 })
    const pages = [await pressed(test.one), await pressed(test.one), await pressed(test.one)]
    const counts: number[] = []
    for (const [at, { session_key, lease }] of pages.entries()) {
      await test.clock.advance([0, 9_999, 1][at] ?? 0)
      const { body } = await check(test.one, session_key, lease)
      expect(body).toMatchObject({ ok: false, error_code: 'concurrency_limit_exceeded' })
      counts.push(test.one.upstream.counts.handshake)
    }
    expect(counts).toEqual([1, 1, 2])
  })

  it('is its own, if the account is not full', async () => {
    await using test = await setUp('Redis', { sessions: { max: 9 } })
    const { session_key, lease } = await pressed(test.one)
    const found = await Promise.all([
      check(test.one, 'not-a-token', lease),
      check(test.one, session_key, lease),
    ])
    found.push(await check(test.one, session_key, lease))
    expect(found.map(({ body }) => body)).toEqual([
      expect.objectContaining({ ok: false, error_code: expect.not.stringContaining('concurrency') }),
      { ok: true },
      { ok: true },
    ])
    expect(test.one.upstream.counts.handshake).toBe(3)
  })
})

describe('without the option', () => {
  it('nothing changes: the routes are 404, and the answers have no more members', async () => {
    await using stack = await startStack()
    const { body, status } = await press(stack)
    expect([status, Object.keys(body as object).toSorted()]).toEqual([
      200,
      ['expires_at', 'expires_in_ms', 'req_id', 'session_key', 'status', 'stream_url', 'type', 'usage_type'],
    ])
    for (const answer of [ask(stack), renew(stack, 'x'), release(stack, 'x')])
      expect(await answer).toMatchObject({ status: 404, body: { error_code: 'NOT_FOUND' } })
    expect(stack.bff.gauge()).not.toHaveProperty('sessions')
    await expect(stack.bff.sessions()).rejects.toThrow('Set its option "sessions"')
    await expect(stack.bff.end({ user: 'ada' })).rejects.toThrow('Set its option "sessions"')
  })

  it('a grant with a part of it is refused, because that would have no effect', async () => {
    await using stack = await startStack()
    stack.grant = { user: 'ada', maxSessionMinutes: 5 }
    expect((await mint(stack)).status).toBe(503)
    expect(stack.events).toContainEqual(
      expect.objectContaining({ problem: expect.stringContaining('does not share sessions') }),
    )
  })
})

it('a session ends after the minutes of its grant', async () => {
  await using test = await setUp('memory')
  test.be({ user: 'ada', maxSessionMinutes: 1 })
  const lease = await leaseOf(test.one)
  for (let at = 10; at < 60; at += 10) {
    await test.clock.advance(10_000)
    expect((await renew(test.one, lease)).status).toBe(200)
  }
  await test.clock.advance(10_000)
  expect(await renew(test.one, lease)).toMatchObject({ status: 410, body: { error_code: 'ENDED_BY_SERVER' } })
  expect(await renew(test.one, lease)).toMatchObject({ status: 410 })
  expect(test.one.events).toContainEqual(expect.objectContaining({ type: 'session.ended', by: 'time' }))
})

it('a token with a session costs one call of Redis more, and without the option none', async () => {
  await using test = await setUp('Redis', { sessions: { max: 99 } })
  await press(test.one)
  test.calls.length = 0
  await press(test.one)
  expect(test.calls).toEqual(['stagepass:{main}:sessions'])
  test.calls.length = 0
  await mint(test.one)
  expect(test.calls).toEqual(['stagepass:{main}:sessions'])
})

it('S66 an instance without Redis renews leases of its users alone, and gives its share of what was free', async () => {
  await using test = await setUp('Redis', { sessions: { max: 5 } })
  const lease = await leaseOf(test.one)
  await renew(test.other, lease)
  // It has heard of the other one.
  await renew(test.one, lease)
  expect((await test.one.fetch('/health')).status).toBe(200)
  test.lose()
  expect((await renew(test.other, lease)).status).toBe(200)
  expect((await renew(test.other, `${lease}x`)).status).toBe(404)
  // Four were free, for two instances.
  const answers = [await press(test.one), await press(test.one), await press(test.one)]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 202])
  expect(QueueAnswer.parse(answers[2]?.body)).toMatchObject({ place: null, of: null })
  expect((await test.one.fetch('/health')).status).toBe(503)
  await expect(test.one.bff.end({ user: 'ada' })).rejects.toThrow('lost')
  await expect(test.one.bff.sessions()).rejects.toThrow('lost')
})

it('after Redis has lost its data no session begins for 12 s, and open ones get theirs again', async () => {
  await using test = await setUp('Redis', { sessions: { max: 2 } })
  const lease = await leaseOf(test.one)
  await renew(test.other, lease)
  await test.client?.flushAll()
  expect((await renew(test.one, lease)).status).toBe(200)
  expect(await ask(test.other)).toMatchObject({ status: 202, body: { place: 1, of: 1 } })
  expect(await test.other.bff.sessions()).toHaveLength(1)
  const lost = [...test.one.events, ...test.other.events].filter(({ type }) => type === 'sessions.store')
  expect(lost).toContainEqual(expect.objectContaining({ reason: 'state-lost' }))
})

it('clocks of instances that differ by minutes change no lease, no end and no order', async () => {
  const skewed = { wallNow: () => Date.now() + 7 * MINUTE_MS, random: () => 0 }
  await using test = await setUp('Redis', {}, {}, { platform: skewed })
  test.be({ user: 'ada', maxSessionMinutes: 5 })
  const lease = await leaseOf(test.one)
  expect((await renew(test.other, lease)).status).toBe(200)
  test.be({ user: 'grace' })
  const first = await ticketOf(test.other)
  test.be({ user: 'bob' })
  const second = await ticketOf(test.one)
  expect(QueueAnswer.parse((await ask(test.other, second)).body).place).toBe(2)
  test.be({ user: 'grace' })
  expect(QueueAnswer.parse((await ask(test.one, first)).body).place).toBe(1)
  await test.one.bff.end({ user: 'grace' }, { untilMs: MINUTE_MS })
  const { retry_after_ms } = Problem.parse((await press(test.other)).body)
  expect(retry_after_ms).toBeGreaterThan(MINUTE_MS / 2)
  expect(retry_after_ms).toBeLessThanOrEqual(MINUTE_MS)
})

it.each(['memory', 'Redis'] as const)(
  'ten pages that reload in a loop never have more than the maximum: %s',
  async (kind) => {
    await using test = await setUp(kind, {
      sessions: { max: 3 },
      authorize: (request: IncomingMessage) => ({ user: String(request.headers['x-user']) }),
      // Redis has all the time that it needs: its own clock ends sessions.
      platform: { clock: virtualClock(), random: () => 0 },
    })
    const open = new Set<string>()
    let most = 0
    const page = async (number: number): Promise<void> => {
      const stack = number % 2 === 0 ? test.one : test.other
      const headers = { 'x-user': `u${number}` }
      let ticket: string | undefined
      for (let load = 0; load < 6; load++) {
        const { status, body } = await stack
          .fetch('/sessions', { json: { usage_type: 'stt', ticket }, headers })
          .then(async (response) => ({ status: response.status, body: (await response.json()) as object }))
        // A page that has a place keeps it over the reload. One that has a session gives it back.
        ticket = QueueAnswer.safeParse(body).data?.ticket
        const lease = LeaseAnswer.safeParse(body).data?.lease
        if (lease === undefined) continue
        expect(status).toBe(200)
        open.add(lease)
        most = Math.max(most, open.size)
        open.delete(lease)
        await stack.fetch(`/sessions/${lease}`, { method: 'DELETE', headers })
      }
      if (ticket !== undefined) await stack.fetch(`/sessions/${ticket}`, { method: 'DELETE', headers })
    }
    await Promise.all(Array.from({ length: 10 }, (_, number) => page(number)))
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(3)
    expect(await test.one.bff.sessions()).toEqual([])
    expect(test.one.bff.gauge().sessions).toMatchObject({ open: 0, waiting: 0, max: 3, learned: false })
  },
)

it('for a page in the background the BFF waits before it asks, and not if the page has left', async () => {
  await using test = await setUp('memory')
  const lease = await leaseOf(test.one)
  const ticket = await ticketOf(test.one)
  const { timers } = test.clock
  const wait = (after_ms: number, signal: AbortSignal | null = null) =>
    test.one.fetch('/sessions', { json: { usage_type: 'stt', ticket, after_ms }, signal })
  // Those of its deadline, and of its wait.
  const isWaiting = () => vi.waitFor(() => expect(test.clock.timers).toBe(timers + 2))
  const leaving = new AbortController()
  const left = wait(1_000, leaving.signal)
  await isWaiting()
  leaving.abort()
  await expect(left).rejects.toThrow('aborted')
  await vi.waitFor(() => expect(test.clock.timers).toBe(timers))
  const answer = read(wait(1_000))
  await isWaiting()
  await test.clock.advance(999)
  await release(test.one, lease)
  await test.clock.advance(1)
  expect(await answer).toMatchObject({ status: 200, body: { lease: ticket } })
  // At most half of the deadline, so that there is an answer.
  const late = read(wait(10_000))
  await isWaiting()
  await test.clock.advance(5_000)
  expect((await late).status).toBe(200)
  expect(await read(wait(10_001))).toMatchObject({ status: 400, body: { field: 'after_ms' } })
})

it('another program on the account is noticed after a minute', async () => {
  // The host says 3, and two are used by another program.
  await using test = await setUp('memory', { sessions: { max: 3 } }, { maxSessions: 0 })
  const check = async () => {
    const { session_key, lease } = SessionTokenResponse.parse((await press(test.one)).body)
    const json = { usage_type: 'stt', session_key, lease }
    return HandshakeCheckResponse.parse((await read(test.one.fetch('/handshake-check', { json }))).body)
  }
  const answer = await check()
  expect(answer).toMatchObject({ ok: false })
  expect(test.one.bff.gauge().sessions).toMatchObject({ max: 0, learned: true })
  const ticket = 'ticket' in answer ? answer.ticket : undefined
  for (let second = 0; second < 62; second += 5) {
    await test.clock.advance(5_000)
    await ask(test.one, ticket)
  }
  expect(test.one.events).toContainEqual({
    type: 'sessions.limit',
    reason: 'foreign-use',
    max: expect.any(Number),
  })
})

it.each([
  ['max', { max: 0 }, '"sessions.max" is not a whole number from 1 to 100000. Pass the number'],
  ['perUser', { perUser: 1.5 }, '"sessions.perUser" is not a whole number'],
  ['reserve alone', { reserve: 1 }, '"sessions.reserve" is a part of "max". Pass "max" too'],
  ['too much reserve', { max: 2, reserve: 2 }, '"sessions.reserve" leaves no session of 2.'],
  [
    'a misspelt one',
    { maximum: 2 },
    '"sessions" has an unknown key "maximum". Use only: max, perUser, reserve.',
  ],
])('refuses a wrong option: %s', async (_name, sessions, message) => {
  await expect(startStack({ bff: { sessions: sessions as SessionsOptions } })).rejects.toThrow(message)
})

it('with Redis it needs the secret of all instances', async () => {
  const redis: RedisEval = async () => null
  await expect(startStack({ bff: { sessions: {}, redis } })).rejects.toThrow('Set "userSecret"')
})

it.each([
  ['end', {}, 'does not say whose sessions'],
  ['end', { user: '' }, '"user" is empty'],
  ['end', { user: 'ada', reason: 'x' }, 'unknown key "reason"'],
  ['end', undefined, 'does not say whose sessions'],
  ['sessions', { account: 'a b' }, '"account" is not a short name'],
] as const)('bff.%s(%j) is an error with a remedy', async (method, argument, message) => {
  await using test = await setUp('memory')
  await expect(test.one.bff[method](argument as never)).rejects.toThrow(message)
})

it('bff.end with wrong options ends nothing', async () => {
  await using test = await setUp('memory')
  for (const untilMs of [-1, 0.5, 86_400_001, Infinity])
    await expect(test.one.bff.end({ user: 'ada' }, { untilMs })).rejects.toThrow('"untilMs"')
  await expect(test.one.bff.end({ user: 'ada' }, { reason: 'x'.repeat(201) })).rejects.toThrow('"reason"')
  expect((await press(test.one)).status).toBe(200)
})

it('each account has its own number, and a grant without it does not lift that', async () => {
  await using test = await setUp('memory', { sessions: {} })
  test.be({ user: 'ada', account: 'acme', sessions: { max: 1, weight: 2 } })
  expect((await press(test.one)).status).toBe(200)
  test.be({ user: 'bob', account: 'acme' })
  expect((await press(test.one)).status).toBe(202)
  test.be({ user: 'bob', account: 'globex' })
  expect((await press(test.one)).status).toBe(200)
  expect((await press(test.one)).status).toBe(200)
})

it('S26 Redis has no user and no token', async () => {
  await using test = await setUp('Redis')
  test.be({ user: 'ada@example.com' })
  const { session_key, lease } = SessionTokenResponse.parse((await press(test.one)).body)
  await ticketOf(test.other)
  const stored = JSON.stringify(await test.client?.hGetAll('stagepass:{main}:sessions'))
  expect(stored).toContain('"stt ')
  for (const secret of ['ada', session_key, lease?.split('.')[2] ?? '']) expect(stored).not.toContain(secret)
  expect((await test.other.bff.sessions())[0]?.user).toBe('ada@example.com')
})
