import { type Budget, BudgetRefusal, createBudget } from '@stagepass/budget'
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
  const budget = make?.(clock) ?? createBudget({ limit, windowMs: 5_000, clock, maxWaiting: 5 })
  const background: Promise<unknown>[] = []
  const written: string[] = []
  const marks: (readonly string[])[] = []
  const looks: (string | undefined)[] = []
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
    clock,
    budget,
    shared: inRedis ? shared : undefined,
    hold: (work) => background.push(work),
  })
  const server = { calls: 0, ms: 100, fails: [] as unknown[], users: [] as (string | undefined)[] }
  const load: Load = async ({ nextTurn, share, context }) => {
    const turn = await nextTurn(undefined)
    if ('json' in turn) return turn.json
    server.calls += 1
    const json = `page ${server.calls}`
    await new Promise<void>((resolve, reject) => {
      clock.after(server.ms, resolve)
      context.onCancel(reject)
    }).finally(() => turn.slot.release('answered'))
    const failure = server.fails.shift()
    if (failure) throw failure
    await share(json)
    return json
  }
  const contextOf = (deadlineMs = 8_000): RequestContext =>
    new RequestContext('r', deadlineMs, platform, undefined)
  const read = (more: { user?: string; noCache?: boolean; context?: RequestContext; key?: string } = {}) =>
    cache.read(
      {
        key: 'page',
        names: async () => ['a name of forty-three characters ..........'],
        context: contextOf(),
        user: 'ada',
        weight: 1,
        noCache: false,
        ...more,
      },
      load,
    )
  return { clock, cache, budget, read, server, contextOf, background, written, marks, looks }
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

  it('that is loaded again for too long is given up at the time limit', async () => {
    const { read, clock, server, background } = setUp()
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
    const { read, clock, server, contextOf, budget } = setUp()
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
    const alone = contextOf()
    const fourth = read({ context: alone, noCache: true })
    await clock.advance(500)
    alone.cancel('client-closed')
    await expect(fourth).rejects.toMatchObject({ reason: 'client-closed' })
    server.ms = 100
    // It joins none that is being cancelled.
    const fifth = read({ noCache: true })
    await clock.advance(500)
    expect((await fifth).json).toBe(`page ${server.calls}`)
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
    const { read, clock, server, contextOf } = setUp()
    server.ms = 60_000
    const first = read({ context: contextOf(60_000) })
    await clock.advance(9_999)
    expect(server.calls).toBe(1)
    server.ms = 100
    await clock.advance(1)
    await clock.advance(1_000)
    expect(await first).toEqual({ json: 'page 2', shared: false })
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
