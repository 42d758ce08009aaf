import { type Budget, BudgetRefusal, createBudget, type Slot, type SlotRequest } from '@stagepass/budget'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { describe, expect, it } from 'vitest'
import { BffError } from '../context/BffError.js'
import { RequestContext } from '../context/RequestContext.js'
import { createPageCache } from './createPageCache.js'
import type { SharedPages } from './createSharedPages.js'
import type { Load } from './SharedLoad.js'

/* Loads of pages over the budget of one process, in virtual time; what is in Redis is told by each test. */

type Found = Awaited<ReturnType<SharedPages['read']>>

interface SetUp {
  readonly cacheMs?: number
  readonly limit?: number
  /** What Redis has, at each look. */
  readonly inRedis?: (known: string | undefined) => Found
  readonly budget?: (clock: ReturnType<typeof virtualClock>) => Budget
}

function setUp({ cacheMs = 3_000, limit = 25, inRedis, budget: make }: SetUp = {}) {
  const clock = virtualClock()
  const platform = { clock, wallNow: () => 0, random: () => 0 }
  const inner = make?.(clock) ?? createBudget({ limit, windowMs: 5_000, clock, maxWaiting: 5 })
  /** What the budget was asked for. */
  const asked: SlotRequest[] = []
  const budget: Budget = {
    ...inner,
    acquire: ((request: SlotRequest) => {
      asked.push(request)
      return inner.acquire(request)
    }) as Budget['acquire'],
  }
  const background: Promise<unknown>[] = []
  const written: string[] = []
  const marks: (readonly string[])[] = []
  const looks: (string | undefined)[] = []
  /** Timers that do not keep a process alive. */
  const quiet = new Set<number>()
  let namings = 0
  const shared: SharedPages = {
    read: async (_names, known) => {
      looks.push(known)
      return inRedis?.(known)
    },
    write: async (_names, json) => void written.push(json),
    markFailed: async (names) => void marks.push(names),
  }
  const cache = createPageCache({
    cacheMs,
    deadlineMs: 10_000,
    clock: {
      now: () => clock.now(),
      after(delayMs, task, keepAlive) {
        if (keepAlive === false) quiet.add(delayMs)
        return clock.after(delayMs, task)
      },
    },
    budget,
    shared: inRedis ? shared : undefined,
    hold: (work) => background.push(work),
  })
  const server = {
    calls: 0,
    ms: 100,
    fails: [] as unknown[],
    /** It responds with 429 so often, and asks to wait for so long. */
    limits: 0,
    limitMs: 3_000,
    /** How long a cancelled request takes to end; Infinity: it does not. */
    closeMs: 0,
  }
  /** How each load ended. */
  const ends: unknown[] = []
  const contexts: RequestContext[] = []
  const loadPage: Load = async ({ nextTurn, share, context }) => {
    contexts.push(context)
    for (let frozenMs: number | undefined; ;) {
      const turn = await nextTurn(frozenMs)
      if ('json' in turn) return turn.json
      server.calls += 1
      const json = `page ${server.calls}`
      await new Promise<void>((resolve, reject) => {
        clock.after(server.ms, resolve)
        context.onCancel((cancelled) => {
          if (server.closeMs < Infinity) clock.after(server.closeMs, () => reject(cancelled))
        })
      }).finally(() => turn.slot.release('answered'))
      if ((server.limits -= 1) >= 0) {
        frozenMs = server.limitMs
        continue
      }
      const failure = server.fails.shift()
      if (failure) throw failure
      await share(json)
      return json
    }
  }
  const load: Load = async (work) => {
    const page = loadPage(work)
    void page.then(
      () => ends.push('page'),
      (thrown: unknown) => ends.push(thrown),
    )
    return page
  }
  const contextOf = (deadlineMs = 8_000): RequestContext =>
    new RequestContext('r', deadlineMs, platform, undefined)
  const read = (more: { user?: string; noCache?: boolean; context?: RequestContext; key?: string } = {}) =>
    cache.read(
      {
        key: 'page',
        names: async () => {
          namings += 1
          return ['a name of forty-three characters ..........']
        },
        context: contextOf(),
        user: 'ada',
        weight: 1,
        noCache: false,
        ...more,
      },
      load,
    )
  return {
    clock,
    cache,
    budget,
    read,
    server,
    contextOf,
    background,
    written,
    marks,
    looks,
    asked,
    quiet,
    ends,
    contexts,
    namings: () => namings,
  }
}

describe('a page', () => {
  it('is loaded once for all that ask at the same time, and is kept', async () => {
    const { read, clock, server, cache } = setUp()
    const all = [read(), read({ user: 'bob' }), read({ noCache: true })]
    await clock.advance(100)
    expect(await Promise.all(all)).toEqual([
      { json: 'page 1', shared: false },
      { json: 'page 1', shared: true },
      { json: 'page 1', shared: true },
    ])
    expect(cache.saved).toEqual({ shared: 2, cached: 0 })
    expect(await read()).toEqual({ json: 'page 1', shared: true })
    expect(cache.saved).toEqual({ shared: 2, cached: 1 })
    expect(server.calls).toBe(1)
  })

  it('is another one under another key', async () => {
    const { read, clock, server } = setUp()
    const all = [read(), read({ key: 'other' })]
    await clock.advance(500)
    expect((await Promise.all(all)).map(({ shared }) => shared)).toEqual([false, false])
    expect(server.calls).toBe(2)
  })

  it('that is stale is served, and loaded once behind all requests', async () => {
    const { read, clock, server, background } = setUp()
    const first = read()
    await clock.advance(100)
    await first
    await clock.advance(2_999)
    await read()
    expect(background).toHaveLength(0)
    await clock.advance(1)
    expect(await read()).toEqual({ json: 'page 1', shared: true })
    await read()
    expect(background).toHaveLength(1)
    await clock.advance(200)
    await background[0]
    expect(server.calls).toBe(2)
    expect(await read()).toEqual({ json: 'page 2', shared: true })
    expect(background).toHaveLength(1)
    // And again, once that is stale.
    await clock.advance(3_000)
    await read()
    expect(background).toHaveLength(2)
  })

  it('that could not be loaded again is served until it is too old', async () => {
    const { read, clock, server, background } = setUp()
    const first = read()
    await clock.advance(100)
    await first
    await clock.advance(3_000)
    server.fails.push(new BffError('UPSTREAM_MALFORMED'))
    await read()
    await clock.advance(200)
    await expect(background[0]).resolves.toBeUndefined()
    expect(await read()).toMatchObject({ json: 'page 1' })
    expect(background).toHaveLength(2)
  })

  it('that is loaded again for too long is given up at the time limit, with its wait for a slot', async () => {
    const { read, clock, server, background, asked, quiet } = setUp({ limit: 1 })
    const first = read()
    await clock.advance(100)
    await first
    await clock.advance(3_000)
    server.ms = 60_000
    await read()
    let ended = false
    void background[0]?.then(() => (ended = true))
    await clock.advance(9_999)
    expect(ended).toBe(false)
    expect(server.calls).toBe(2)
    expect(asked.map(({ priority }) => priority)).toEqual(['user', 'background'])
    expect(quiet).toContain(10_000)
    await clock.advance(1)
    await clock.settle()
    expect(ended).toBe(true)
  })

  it('is dropped at the close, and what is loaded again is cancelled', async () => {
    const { read, clock, server, background, cache } = setUp()
    const first = read()
    await clock.advance(100)
    await first
    await clock.advance(3_000)
    server.ms = 60_000
    await read()
    await clock.advance(10)
    cache.close()
    await expect(background[0]).resolves.toBeUndefined()
    server.ms = 100
    const again = read()
    await clock.advance(500)
    expect(await again).toEqual({ json: 'page 3', shared: false })
  })

  it('is not kept without a time to keep it', async () => {
    const { read, clock, server } = setUp({ cacheMs: 0 })
    for (const count of [1, 2]) {
      const page = read()
      await clock.advance(500)
      expect((await page).json).toBe(`page ${count}`)
    }
    expect(server.calls).toBe(2)
    expect(clock.timers).toBe(0)
  })

  it('that fails is not kept, and fails for all that wait', async () => {
    const { read, clock, server } = setUp()
    const failure = new BffError('UPSTREAM_MALFORMED')
    server.fails.push(failure)
    const both = Promise.allSettled([read(), read({ user: 'bob' })])
    await clock.advance(100)
    expect(await both).toMatchObject([{ reason: failure }, { reason: failure }])
    const again = read()
    await clock.advance(500)
    expect((await again).json).toBe('page 2')
  })
})

describe('those who wait', () => {
  it('leave without a word to the others; the last one ends the load', async () => {
    const { read, clock, server, contextOf, budget, ends } = setUp()
    const contexts = [contextOf(), contextOf()]
    const [one, two] = contexts.map((context, index) => read({ context, user: `user ${index}` }))
    await clock.advance(50)
    expect(budget.gauge().used).toBe(1)
    contexts[0]?.cancel('client-closed')
    await expect(one).rejects.toMatchObject({ reason: 'client-closed' })
    await clock.advance(50)
    expect((await two)?.json).toBe('page 1')

    const last = contextOf()
    const third = read({ context: last, noCache: true })
    await clock.advance(500)
    await third
    server.ms = 60_000
    server.closeMs = 50
    const alone = contextOf()
    const fourth = read({ context: alone, noCache: true })
    await clock.advance(500)
    alone.cancel('client-closed')
    await expect(fourth).rejects.toMatchObject({ reason: 'client-closed' })
    server.ms = 100
    // It joins none that is being cancelled.
    const fifth = read({ noCache: true })
    await clock.advance(60)
    expect(ends).toMatchObject(['page', 'page', { reason: 'no-waiters' }])
    // The end of that one has no effect on this one.
    const sixth = read({ noCache: true, user: 'bob' })
    await clock.advance(500)
    const json = `page ${server.calls}`
    expect([await fifth, await sixth]).toEqual([
      { json, shared: false },
      { json, shared: true },
    ])
  })

  it('leave the queue: the load ends, and no request is sent', async () => {
    const { read, clock, server, contextOf, ends } = setUp({ limit: 1 })
    const first = read({ key: 'first' })
    await clock.advance(100)
    await first
    const context = contextOf()
    const waiting = read({ context })
    await clock.advance(100)
    context.cancel('client-closed')
    await expect(waiting).rejects.toMatchObject({ reason: 'client-closed' })
    expect(context.stage).toBe('queue')
    await clock.advance(8_000)
    expect(ends).toMatchObject(['page', { reason: 'no-waiters' }])
    expect(server.calls).toBe(1)
  })

  it('are gone when a 429 comes: the load ends', async () => {
    const { read, clock, server, contextOf, ends, asked } = setUp()
    Object.assign(server, { limits: 1, closeMs: Infinity })
    const context = contextOf()
    const left = read({ context })
    await clock.advance(50)
    context.cancel('client-closed')
    await expect(left).rejects.toMatchObject({ reason: 'client-closed' })
    await clock.advance(50)
    expect(ends).toMatchObject([{ reason: 'no-waiters' }])
    expect(asked).toHaveLength(1)
  })

  it('give the load the time of the one that has most', async () => {
    const { read, clock, contexts, contextOf } = setUp()
    const both = [read({ context: contextOf(1_000) }), read({ context: contextOf(5_000) })]
    await clock.advance(10)
    expect(contexts.map((context) => context.remainingMs())).toEqual([4_990])
    await clock.advance(90)
    await Promise.all(both)
  })

  it('ask the budget once each, under a name that no other load has', async () => {
    const { read, clock, asked, namings } = setUp({ limit: 1 })
    const first = read({ key: 'first' })
    await clock.advance(100)
    await first
    const one = read({ user: 'bob' })
    await clock.advance(100)
    const two = read({ user: 'eve' })
    await clock.advance(100)
    expect(asked.map(({ user, priority }) => [user, priority])).toEqual([
      ['ada', 'user'],
      ['bob', 'user'],
      ['eve', 'user'],
    ])
    const [before, ...calls] = asked.map(({ call }) => call)
    expect(calls).toEqual([calls[0], calls[0]])
    expect(before).not.toBe(calls[0])
    await clock.advance(6_000)
    await Promise.all([one, two])
    expect(namings()).toBe(0)
    const other = setUp()
    const far = other.read()
    await other.clock.advance(100)
    await far
    expect(other.asked[0]?.call).not.toBe(before)
  })

  it('are refused by the budget one by one', async () => {
    const { read, clock, server, contextOf } = setUp({ limit: 1 })
    const first = read({ key: 'first' })
    await clock.advance(100)
    await first
    const short = read({ context: contextOf(1_000) })
    const refused = short.catch((thrown: unknown) => thrown)
    const long = read({ user: 'bob' })
    await clock.advance(500)
    expect(await refused).toBeInstanceOf(BudgetRefusal)
    await clock.advance(7_000)
    expect((await long).json).toBe('page 2')
    expect(server.calls).toBe(2)
  })

  it('give an upstream request no more than its time, and one with time left asks again', async () => {
    const { read, clock, server, contextOf, ends } = setUp()
    server.ms = 60_000
    const first = read({ context: contextOf(60_000) })
    await clock.advance(9_999)
    expect(server.calls).toBe(1)
    server.ms = 100
    await clock.advance(1)
    await clock.advance(1_000)
    expect(await first).toEqual({ json: 'page 2', shared: false })
    expect(ends).toMatchObject([{ reason: 'deadline' }, 'page'])
  })

  it('and get no slot after a 429 are told of the limit of the upstream', async () => {
    const retries: number[] = []
    for (const limitMs of [3_000, 60_000]) {
      const { read, clock, server, contextOf } = setUp({ limit: 1 })
      Object.assign(server, { limits: 1, limitMs })
      const refused = read({ context: contextOf(1_000) }).catch((thrown: unknown) => thrown)
      await clock.advance(200)
      const { code, details } = (await refused) as BffError
      expect(code).toBe('UPSTREAM_RATE_LIMITED')
      retries.push(details.retryAfterMs ?? 0)
    }
    // Whichever is longer: the wait for a slot, or that of the upstream.
    expect(retries[0]).toBeGreaterThan(3_000)
    expect(retries[1]).toBe(60_000)
  })

  it('and get no slot after a 429 because the budget is closed are told that', async () => {
    const { read, clock, server, budget } = setUp({ limit: 1 })
    server.limits = 1
    const refused = read().catch((thrown: unknown) => thrown)
    await clock.advance(200)
    await budget.close()
    expect(await refused).toMatchObject({ name: 'BudgetRefusal', reason: 'closing' })
  })
})

describe('a page in Redis', () => {
  const stored = (json: string | undefined, ageMs: number, sealed = 'sealed'): Found => ({
    sealed,
    json,
    ageMs,
  })

  it('is served if it is young enough, and kept here for the rest of its time', async () => {
    const { read, clock, server, cache, background } = setUp({ inRedis: () => stored('theirs', 2_000) })
    expect(await read()).toEqual({ json: 'theirs', shared: true })
    expect(cache.saved).toEqual({ shared: 0, cached: 1 })
    expect(background).toHaveLength(0)
    await clock.advance(1_000)
    await read()
    expect(background).toHaveLength(1)
    expect(server.calls).toBe(0)
  })

  it('that is stale is served, and loaded again', async () => {
    const { read, background, cache, clock, written } = setUp({ inRedis: () => stored('theirs', 3_000) })
    expect((await read()).json).toBe('theirs')
    expect(background).toHaveLength(1)
    expect(cache.saved).toEqual({ shared: 0, cached: 1 })
    await clock.advance(1_000)
    await background[0]
    // Younger than `cacheMs` is no page for that.
    expect(written).toEqual([])
  })

  it.each([
    ['too old', 6_000, {}],
    ['not wanted', 0, { noCache: true }],
  ])('that is %s is loaded, and what is loaded is put there', async (_why, ageMs, more) => {
    let first = true
    const inRedis = (): Found => {
      const now = first ? stored('theirs', ageMs) : undefined
      first = false
      return now
    }
    const { read, clock, written, cache, looks } = setUp({ inRedis })
    const page = read(more)
    await clock.advance(500)
    expect(await page).toEqual({ json: 'page 1', shared: false })
    expect(written).toEqual(['page 1'])
    expect(cache.saved).toEqual({ shared: 0, cached: 0 })
    // The last look is for what is not known yet.
    expect(looks).toEqual([undefined, 'sealed'])
  })

  it('that is old enough for one and not for another who waits is loaded', async () => {
    let first = true
    const inRedis = (): Found => {
      const now = first ? stored('theirs', 2_000) : undefined
      first = false
      return now
    }
    const { read, clock, asked, looks } = setUp({ inRedis })
    const both = [read(), read({ noCache: true, user: 'bob' })]
    await clock.advance(500)
    expect((await Promise.all(both)).map(({ json }) => json)).toEqual(['page 1', 'page 1'])
    // The call has the beginning of the page's name, and no other waiter looks for the page.
    expect(asked.map(({ call }) => call)).toEqual(Array(2).fill('a name of forty-three '))
    expect(looks).toEqual([undefined, 'sealed'])
  })

  it('that comes while the load waits for its slot saves the request, and the slot', async () => {
    let looks = 0
    const inRedis = (): Found => ((looks += 1) === 1 ? undefined : stored('theirs', 40))
    const { read, clock, server, budget, cache } = setUp({ inRedis })
    const page = read()
    await clock.advance(500)
    expect(await page).toEqual({ json: 'theirs', shared: true })
    expect(server.calls).toBe(0)
    expect(budget.gauge().used).toBe(0)
    expect(cache.saved).toEqual({ shared: 1, cached: 0 })
  })

  it('is marked as failed, if the load that had the slot fails', async () => {
    const { read, clock, server, marks } = setUp({ inRedis: () => undefined })
    const failure = new BffError('UPSTREAM_MALFORMED')
    server.fails.push(failure)
    const page = read().catch((thrown: unknown) => thrown)
    await clock.advance(500)
    expect(await page).toBe(failure)
    expect(marks).toEqual([['a name of forty-three characters ..........']])
    const good = read()
    await clock.advance(500)
    await good
    expect(marks).toHaveLength(1)
  })
})

describe('a call that another instance makes', () => {
  /** A budget that shares each call, until it gives its slots. */
  const sharing = (clock: ReturnType<typeof virtualClock>, shares: number): Budget => {
    const budget = createBudget({ limit: 25, windowMs: 5_000, clock })
    let asked = 0
    return {
      ...budget,
      acquire: ((request: Parameters<Budget['acquire']>[0]) =>
        (asked += 1) <= shares ? Promise.resolve('shared') : budget.acquire(request)) as Budget['acquire'],
    }
  }

  it('is looked for every 50 ms, and served when it is there', async () => {
    let looks = 0
    const inRedis = (): Found => ((looks += 1) < 5 ? undefined : { sealed: 's', json: 'theirs', ageMs: 70 })
    const test = setUp({ inRedis, budget: (clock) => sharing(clock, 99) })
    const page = test.read()
    await test.clock.advance(199)
    expect(looks).toBe(4)
    await test.clock.advance(1)
    expect(await page).toEqual({ json: 'theirs', shared: true })
    expect(test.cache.saved).toEqual({ shared: 1, cached: 0 })
    // It is as old as it is.
    await test.clock.advance(2_929)
    await test.read()
    expect(test.background).toHaveLength(0)
    await test.clock.advance(1)
    await test.read()
    expect(test.background).toHaveLength(1)
  })

  it('has a page before the slot of another waiter comes: the slot is given back', async () => {
    const test = setUp({
      inRedis: (known) =>
        looks++ === 0 || known === 's' ? undefined : { sealed: 's', json: 'theirs', ageMs: 0 },
      budget(clock) {
        const budget = createBudget({ limit: 25, windowMs: 5_000, clock })
        const acquire = async (request: SlotRequest): Promise<Slot | 'shared'> => {
          if (request.user === 'ada') return 'shared'
          await new Promise<void>((resolve) => clock.after(60, resolve))
          return budget.acquire(request)
        }
        return { ...budget, acquire: acquire as Budget['acquire'] }
      },
    })
    let looks = 0
    const both = [test.read(), test.read({ user: 'bob' })]
    await test.clock.advance(50)
    expect((await Promise.all(both)).map(({ json }) => json)).toEqual(['theirs', 'theirs'])
    await test.clock.advance(50)
    expect(test.budget.gauge().used).toBe(0)
    expect(test.server.calls).toBe(0)
  })

  it('is left by the last who waits, in the stage of the upstream', async () => {
    const test = setUp({ inRedis: () => undefined, budget: (clock) => sharing(clock, 99) })
    const context = test.contextOf()
    const left = test.read({ context })
    await test.clock.advance(60)
    context.cancel('client-closed')
    await expect(left).rejects.toMatchObject({ reason: 'client-closed' })
    expect(context.stage).toBe('upstream')
    expect(test.quiet).toContain(50)
    await test.clock.advance(200)
    expect(test.ends).toMatchObject([{ reason: 'no-waiters' }])
    expect(test.looks).toHaveLength(2)
  })

  it('is asked for again if it failed there', async () => {
    let looks = 0
    const inRedis = (): Found =>
      (looks += 1) === 1 ? undefined : { sealed: 'mark', json: undefined, ageMs: 0 }
    const test = setUp({ inRedis, budget: (clock) => sharing(clock, 1) })
    const page = test.read()
    await test.clock.advance(50)
    await test.clock.advance(150)
    expect((await page).json).toBe('page 1')
  })

  it('is asked for again after two and a half seconds', async () => {
    const test = setUp({ inRedis: () => undefined, budget: (clock) => sharing(clock, 1) })
    const page = test.read()
    await test.clock.advance(2_499)
    expect(test.server.calls).toBe(0)
    await test.clock.advance(1)
    expect(test.server.calls).toBe(1)
    await test.clock.advance(200)
    expect((await page).json).toBe('page 1')
  })
})
