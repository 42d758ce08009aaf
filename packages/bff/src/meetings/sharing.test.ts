import { respond, delay, drop, fail, hang } from '@stagepass/emulator'
import { type Stack, startStack, startTcpProxy } from '@stagepass/testing'
import { describe, expect, it, vi } from 'vitest'
import type { Request } from 'express'
import type { BffOptions, Grant, MeetingsGrant } from '../index.js'
import { virtualClock } from '@stagepass/testing/virtualClock'

const settled = (count: number, stack: Stack) =>
  vi.waitFor(() => expect(stack.upstream.requests.length).toBe(count), { interval: 5 })

/** Holds the responses of the meetings interface until `count` requests are in flight. */
async function heldMeetings(stack: Stack) {
  const service = await startTcpProxy(Number(new URL(stack.upstream.meetingsUrl).port))
  await stack.remount({ meetings: { baseUrl: `http://127.0.0.1:${service.port}` } })
  const release = service.hold()
  return {
    async whenInFlight(count: number): Promise<void> {
      await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(count))
      // Nothing before the request to the service needs another turn of the event loop.
      await new Promise(setImmediate)
      release()
    },
    release,
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}

interface Shared extends AsyncDisposable {
  readonly stack: Stack
  /** Sends as the user of a grant with the main credential, unless `meetings` names another. */
  readonly as: (
    user: string,
    meetings: Partial<MeetingsGrant>,
    path: string,
    headers?: object,
    signal?: AbortSignal,
  ) => Promise<Response>
}

/** A stack in which each request has its own grant, given in a header. */
async function startShared(bff: Partial<BffOptions<Request>> = {}): Promise<Shared> {
  const grants = new Map<string, Grant>()
  const authorize = (req: { headers: object }) =>
    grants.get((req.headers as { authorization: string }).authorization)
  const stack = await startStack({ bff: { ...bff, authorize } })
  return {
    stack,
    as(user, meetings, path, headers = {}, signal) {
      const id = String(grants.size)
      grants.set(id, { user, meetings: { credential: stack.upstream.meetingsCredential, ...meetings } })
      const init = signal ? { signal } : {}
      return stack.fetch(path, { ...init, headers: { ...headers, authorization: id } })
    },
    [Symbol.asyncDispose]: () => stack.close(),
  }
}

describe('S21 reads that may share a call in flight', () => {
  const MAIN = '/meetings?q=plan&limit=5'
  const DEFAULTS = ['title', 'started_at', 'duration', 'status', 'source', 'tags', 'ownership']
  it.each<[string, Partial<MeetingsGrant>, string, number]>([
    ['another user with the same grant and query shares', {}, MAIN, 1],
    ['the same query in another order shares', {}, '/meetings?limit=5&q=plan', 1],
    ['defaults written out share', {}, `${MAIN}&ownership=all&sort_by=date&order=newest`, 1],
    ['the default fields in another order share', {}, `${MAIN}&fields=${DEFAULTS.toReversed().join(',')}`, 1],
    ['a grant of exactly the default fields shares', { fields: DEFAULTS }, MAIN, 1],
    ['another credential does not', { credential: 'second' }, MAIN, 2],
    ['a forced ownership does not', { ownership: 'mine' }, MAIN, 2],
    ['another ownership does not', {}, `${MAIN}&ownership=mine`, 2],
    ['fewer granted fields do not', { fields: ['title'] }, MAIN, 2],
    ['a search of spaces does not', {}, '/meetings?q=%20plan&limit=5', 2],
    ['another search does not', {}, '/meetings?q=plan2&limit=5', 2],
    ['a delimiter inside a value does not', {}, '/meetings?q=plan%26limit%3D5', 2],
    ['a JSON delimiter inside a value does not', {}, '/meetings?q=plan%22%2C%225&limit=5', 2],
    ['tags do not collide with a comma in another place', {}, `${MAIN}&tags=a,b`, 2],
    ['a cursor does not', {}, `${MAIN}&cursor=plan`, 2],
    ['another operation does not', {}, '/tags', 2],
  ])('S21 %s', async (_what, own, path, calls) => {
    await using shared = await startShared()
    const { upstream } = shared.stack
    await using held = await heldMeetings(shared.stack)
    const theirs = own.credential ? { credential: upstream.credentials.second } : own
    const sent = [shared.as('ada', {}, MAIN), shared.as('bob', theirs, path)] as const
    await held.whenInFlight(2)
    const [first] = await Promise.all(sent)
    expect(first.status).toBe(200)
    expect(upstream.requests).toHaveLength(calls)
  })

  it('S21 each user sees only the part of its own grant, even at the same moment', async () => {
    await using shared = await startShared()
    const { upstream } = shared.stack
    await using held = await heldMeetings(shared.stack)
    const sent = [
      shared.as('a', {}, '/meetings'),
      shared.as('b', { fields: ['title'] }, '/meetings'),
      shared.as('c', { credential: upstream.credentials.other }, '/meetings'),
    ]
    await held.whenInFlight(3)
    const [wide, narrow, other] = await Promise.all(
      sent.map(async (sent) => (await (await sent).json()) as { meetings: { id: string }[] }),
    )
    expect(Object.keys(wide?.meetings[0] ?? {})).toHaveLength(8)
    expect(Object.keys(narrow?.meetings[0] ?? {}).toSorted()).toEqual(['id', 'title'])
    const ids = new Set(wide?.meetings.map(({ id }) => id))
    expect(other?.meetings.filter(({ id }) => ids.has(id))).toEqual([])
  })

  it('S21 no-cache does not bypass a call in flight', async () => {
    await using shared = await startShared()
    const { stack, as } = shared
    await using held = await heldMeetings(stack)
    const sent = [as('ada', {}, '/tags'), as('ada', {}, '/tags', { 'cache-control': 'no-cache' })]
    await held.whenInFlight(2)
    await Promise.all(sent)
    expect(stack.upstream.requests).toHaveLength(1)
    expect(stack.bff.gauge().saved).toMatchObject({ shared: 1 })
  })
})

describe('S40 a shared call', () => {
  /** Ada has used her burst, and `busy` of her requests wait. */
  async function withHeavyAda(busy: number) {
    const clock = virtualClock()
    const shared = await startShared({ platform: { clock, random: () => 0 }, meetings: { cacheMs: 0 } })
    const { stack } = shared
    const as = (user: string, q: string, signal?: AbortSignal): Promise<Response> =>
      shared.as(user, {}, `/meetings?q=${q}`, {}, signal)
    const inFlight = (count: number) => vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(count))
    const heavy: Promise<Response>[] = []
    for (let index = 0; index < 10 + busy; index += 1) {
      heavy.push(as('ada', String(index)))
      if (index < 10) await heavy[index]
      else await inFlight(index - 9)
    }
    return {
      stack,
      as,
      inFlight,
      /** Position of the search among the upstream's requests, from zero. */
      place: (q: string) => stack.upstream.requests.findIndex(({ query }) => query['q'] === q),
      /** Advances the time until it has settled. */
      async ended<TValue>(promise: Promise<TValue>): Promise<TValue> {
        let done = false
        void promise.finally(() => (done = true))
        await expect.poll(() => clock.advance(100).then(() => done), { interval: 5 }).toBe(true)
        return promise
      },
      async [Symbol.asyncDispose]() {
        await this.ended(Promise.all(heavy))
        await stack.close()
      },
    }
  }

  it('S40 has the best place that one of its waiters would have alone', async () => {
    const placeOf = async (q: string): Promise<number> => {
      await using test = await withHeavyAda(10)
      expect((await test.ended(test.as('bob', q))).status).toBe(200)
      return test.place(q)
    }
    const alone = await placeOf('of bob alone')
    expect(alone).toBeLessThan(13)
    // Ada's last request, whose page bob needs too.
    expect(await placeOf('19')).toBe(alone)
  })

  it('S40 is open to a light user when the queue of the heavy one is full', async () => {
    await using test = await withHeavyAda(20)
    expect((await test.as('ada', 'more')).status).toBe(503)
    const light = Promise.all([test.as('bob', '29'), test.as('cem', 'more')])
    expect((await test.ended(light)).map(({ status }) => status)).toEqual([200, 200])
    expect(Math.max(test.place('29'), test.place('more'))).toBeLessThan(13)
  })

  it('S40 refuses one waiter and serves the others', async () => {
    await using test = await withHeavyAda(20)
    const bob = test.as('bob', 'more')
    await test.inFlight(21)
    // Ada's queue is full. Her refusal does not affect bob.
    const ada = test.as('ada', 'more')
    expect((await test.ended(bob)).status).toBe(200)
    expect([200, 503]).toContain((await ada).status)
  })

  it('S40 keeps the places of the others when the first leaves', async () => {
    await using test = await withHeavyAda(5)
    const leaving = new AbortController()
    const left = test.as('bob', 'more', leaving.signal).catch(() => 'left')
    await test.inFlight(6)
    const ada = test.as('ada', 'more')
    await test.inFlight(7)
    const cem = test.as('cem', 'more')
    await test.inFlight(8)
    leaving.abort()
    expect(await left).toBe('left')
    await test.inFlight(7)
    const both = Promise.all([cem, ada])
    expect((await test.ended(both)).map(({ status }) => status)).toEqual([200, 200])
    expect(test.place('more')).toBeLessThan(13)
    expect(test.stack.upstream.requests.filter(({ query }) => query['q'] === 'more')).toHaveLength(1)
  })
})

it('S22 every token request mints its own token, even for the same user', async () => {
  await using stack = await startStack()
  stack.upstream.use(delay(40))
  const mint = async () => {
    const token = await (await stack.fetch('/session-token', { json: { usage_type: 'stt' } })).json()
    return (token as { session_key: string }).session_key
  }
  const keys = await Promise.all([mint(), mint(), mint()])
  expect(new Set([...keys, await mint()]).size).toBe(4)
})

describe('S23 a shared call', () => {
  it('S23 continues for the remaining waiters, and ends when the last has left', async () => {
    await using stack = await startStack()
    const undo = stack.upstream.use(hang())
    const first = new AbortController()
    const second = new AbortController()
    const leaving = stack.fetch('/meetings', { signal: first.signal }).catch(() => 'left')
    await settled(1, stack)
    const staying = stack.fetch('/meetings', { signal: second.signal }).catch(() => 'left')
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(2))
    first.abort()
    await leaving
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(1))
    expect(stack.upstream.requests[0]?.aborted).toBe(false)
    second.abort()
    await staying
    await vi.waitFor(() => expect(stack.upstream.requests[0]?.aborted).toBe(true))

    // A new waiter must not join a cancelled call.
    undo()
    expect((await stack.fetch('/meetings')).status).toBe(200)
  })

  it('S23 a waiter that leaves does not reject the others', async () => {
    await using stack = await startStack()
    await using held = await heldMeetings(stack)
    const first = new AbortController()
    const leaving = stack.fetch('/meetings', { signal: first.signal }).catch(() => 'left')
    await settled(1, stack)
    const staying = stack.fetch('/meetings')
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(2))
    first.abort()
    expect(await leaving).toBe('left')
    held.release()
    expect((await staying).status).toBe(200)
    expect(stack.upstream.requests).toHaveLength(1)
  })

  it('S23 has the latest deadline of its waiters', async () => {
    const clock = virtualClock()
    await using stack = await startStack({ bff: { deadlineMs: 8_000, platform: { clock, random: () => 0 } } })
    stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '5' } }, { times: 1 }))
    await using held = await heldMeetings(stack)
    const first = stack.fetch('/meetings')
    await settled(1, stack)
    clock.jump(4_000)
    const second = stack.fetch('/meetings')
    await held.whenInFlight(2)
    await vi.waitFor(() => expect(stack.bff.gauge().frozenMs).toBeGreaterThan(0))
    clock.jump(4_000)
    expect((await first).status).toBe(503)
    clock.jump(1_000)
    expect((await second).status).toBe(200)
  })

  it('S23 is sent again while one waiter has time for it', async () => {
    const clock = virtualClock()
    await using stack = await startStack({ bff: { deadlineMs: 8_000, platform: { clock, random: () => 0 } } })
    stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '5' } }, { times: 1 }))
    const first = stack.fetch('/meetings')
    await vi.waitFor(() => expect(stack.bff.gauge().frozenMs).toBeGreaterThan(0))
    clock.jump(4_000)
    const second = stack.fetch('/meetings')
    await vi.waitFor(() => expect(stack.bff.gauge().inFlight).toBe(2))
    await stack.upstream.close()
    clock.jump(4_000)
    expect((await first).status).toBe(503)
    clock.jump(1_000)
    await vi.waitFor(() =>
      expect(stack.events).toContainEqual(expect.objectContaining({ type: 'upstream.retried' })),
    )
    clock.jump(4_000)
    await second
  })

  it('S23 a failure rejects all waiters and is not stored', async () => {
    await using stack = await startStack()
    stack.upstream.use(respond({ status: 500 }, { times: 1 }))
    await using held = await heldMeetings(stack)
    const sent = [stack.fetch('/meetings'), stack.fetch('/meetings')] as const
    await held.whenInFlight(2)
    const [a, b] = await Promise.all(sent)
    expect([a.status, b.status]).toEqual([502, 502])
    expect(stack.upstream.requests).toHaveLength(1)
    expect((await stack.fetch('/meetings')).status).toBe(200)
  })

  it('S23 a renewed credential is not used for other users who shared the old one', async () => {
    await using shared = await startShared()
    const { stack, as } = shared
    await using held = await heldMeetings(stack)
    const old = 'vm_of_both'
    const values = [old, stack.upstream.meetingsCredential]
    const renewing = () => values.shift() ?? ''
    const sent = [
      as('ada', { credential: renewing }, '/meetings'),
      as('bob', { credential: old }, '/meetings'),
    ] as const
    await held.whenInFlight(2)
    const [mine, theirs] = await Promise.all(sent)
    expect([mine.status, theirs.status]).toEqual([200, 502])
    const event = { type: 'secret.renewed', secret: 'meetings.credential', changed: true }
    expect(stack.events).toContainEqual(event)
  })
})

it('after a 429 there is one pause and one more try', async () => {
  await using stack = await startStack({ emulator: { retryAfter: true } })
  stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '1' } }, { times: 1 }))
  expect((await stack.fetch('/meetings')).status).toBe(200)
  expect(stack.upstream.requests.map(({ status }) => status)).toEqual([429, 200])
  const [refused, served] = stack.upstream.requests.map(({ at }) => at)
  expect((served ?? 0) - (refused ?? 0)).toBeGreaterThanOrEqual(1_000)
  expect(stack.events).toContainEqual(
    expect.objectContaining({ type: 'upstream.rate-limited', retryAfterMs: 1_000 }),
  )
})

it('a pause longer than the deadline is reported at once', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 2_000 } })
  stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '30' } }))
  const response = await stack.fetch('/meetings')
  expect(await response.json()).toMatchObject({ error_code: 'UPSTREAM_RATE_LIMITED', retryable: true })
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(30)
  expect(stack.upstream.requests).toHaveLength(1)
})

it('a 429 on the second try is final', async () => {
  await using stack = await startStack()
  stack.upstream.use(fail('RATE_LIMIT_EXCEEDED'))
  const response = await stack.fetch('/meetings')
  expect(await response.json()).toMatchObject({ status: 503, error_code: 'UPSTREAM_RATE_LIMITED' })
  expect(stack.upstream.requests).toHaveLength(2)
})

it('an unsent request releases its slot at once, and a sent request keeps it', async () => {
  await using stack = await startStack()
  stack.upstream.use(drop({ times: 2 }))
  expect((await stack.fetch('/meetings')).status).toBe(502)
  expect(stack.bff.gauge().used).toBe(2)
  await stack.upstream.close()
  expect((await stack.fetch('/meetings')).status).toBe(502)
  expect(stack.bff.gauge().used).toBe(2)
})
