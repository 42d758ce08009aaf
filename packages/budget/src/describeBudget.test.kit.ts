import { describe, expect, it } from 'vitest'
import {
  type Budget,
  BudgetRefusal,
  type BudgetGauge,
  type Slot,
  type SlotRequest,
  type SlotUser,
} from './waiting/Budget.js'
import type { BudgetOptions } from './BudgetOptions.js'
import type { BudgetEvent } from './core/events.js'
import { SEED_FACTOR, seededRandom } from './seededRandom.test.kit.js'
import type { VirtualClock } from '@stagepass/testing/virtualClock'

/**
 * Gives out the slots of one account under a virtual clock: one budget, or several instances behind one
 * interface.
 */
interface BudgetUnderTest extends AsyncDisposable {
  readonly budget: Budget
  readonly clock: VirtualClock
  readonly events: BudgetEvent[]
}

export type CreateBudgetUnderTest = (options?: Partial<BudgetOptions>) => Promise<BudgetUnderTest>

/** The behaviour of every budget, wherever its state is. */
export function describeBudget(place: string, create: CreateBudgetUnderTest): void {
  describe(`a budget ${place}`, () => {
    it('gives a user of an idle account ten slots at once, and leaves some for another user', async () => {
      await using test = await start(create)
      const first = test.ask({ user: 'ada', count: 15 })
      await test.clock.settle()
      expect(first.granted).toBe(10)
      expect(test.gauge()).toMatchObject({ used: 10, waiting: 5, limit: 25 })
    })

    it('grants at most five in any second while requests wait', async () => {
      await using test = await start(create, { maxWaiting: 100, maxWaitingPerUser: 100 })
      test.ask({ user: 'ada', count: 60, deadlineMs: 60_000 })
      await test.clock.advance(12_000)
      const paced = test.grants.slice(10)
      expect(paced.length).toBeGreaterThan(40)
      expect(most(paced, 1_000)).toBeLessThanOrEqual(5)
    })

    it('never has more than 25 requests that the upstream may still count, and uses the whole limit', async () => {
      await using test = await start(create, { maxWaiting: 200, maxWaitingPerUser: 200 })
      let turn = 0
      test.answerAfter(() => 20 + ((turn++ * 37) % 80))
      test.ask({ user: 'ada', count: 200, deadlineMs: 60_000 })
      await test.clock.advance(30_000)
      expect(mostHeld(test.spans)).toBeLessThanOrEqual(25)
      // 25 in 5 s and the round trip, which is 60 ms on average.
      expect(test.grants.length).toBeGreaterThan((30_000 / 5_060) * 25 * 0.97)
    })

    it('frees a slot five seconds after the response, not after the request', async () => {
      await using test = await start(create, { burst: 25 })
      test.answerAfter(() => 3_000)
      test.ask({ user: 'ada', count: 25 })
      await test.clock.settle()
      expect(test.grants).toHaveLength(25)
      const late = test.ask({ user: 'ada', deadlineMs: 12_000 })
      await test.clock.advance(7_999)
      expect(late.granted).toBe(0)
      await test.clock.advance(300)
      expect(late.granted).toBe(1)
    })

    it('gives the slot of an unsent request to the next request at once', async () => {
      await using test = await start(create, { burst: 25 })
      const slots = await test.hold('ada', 25)
      const next = test.ask({ user: 'bob' })
      await test.clock.advance(1_000)
      expect(next.granted).toBe(0)
      slots[0]?.release('unsent')
      await test.clock.advance(250)
      expect(next.granted).toBe(1)
    })

    it('counts an aborted request one second longer, because it may still arrive', async () => {
      await using test = await start(create, { burst: 25 })
      const slots = await test.hold('ada', 25)
      for (const slot of slots) slot.release('aborted')
      const next = test.ask({ user: 'bob' })
      await test.clock.advance(5_999)
      expect(next.granted).toBe(0)
      await test.clock.advance(100)
      expect(next.granted).toBe(1)
    })

    it('counts a block that ends without a release as an aborted request', async () => {
      await using test = await start(create, { burst: 25 })
      const slots = await test.hold('ada', 25)
      for (const slot of slots.slice(1)) slot.release('aborted')
      const block = async (): Promise<void> => {
        await using _slot = slots[0]
        throw new Error('The upstream could not be reached.')
      }
      await expect(block()).rejects.toThrow('could not be reached')
      const next = test.ask({ user: 'bob' })
      await test.clock.advance(5_999)
      expect(next.granted).toBe(0)
      await test.clock.advance(100)
      expect(next.granted).toBe(1)
    })

    it('frees the slot of a request that is never released after its timeout and a window', async () => {
      await using test = await start(create, { burst: 25, timeoutMs: 2_000 })
      await test.hold('ada', 25)
      // And 1.75 s, because a turn may reach its request late.
      await test.clock.advance(7_500)
      const next = test.ask({ user: 'bob' })
      await test.clock.advance(999)
      expect(next.granted).toBe(0)
      await test.clock.advance(300)
      expect(next.granted).toBe(1)
    })

    it('ends a slot once: a second release changes nothing', async () => {
      await using test = await start(create, { burst: 25 })
      const slots = await test.hold('ada', 25)
      slots[0]?.release('answered')
      slots[0]?.release('unsent')
      await test.clock.settle()
      expect(test.gauge().used).toBe(25)
    })

    it('serves a light user next, although another user has many requests in the queue', async () => {
      await using test = await start(create, { maxWaiting: 200, maxWaitingPerUser: 200 })
      test.ask({ user: 'greedy', count: 150, deadlineMs: 60_000 })
      await test.clock.advance(7_000)
      const light = test.ask({ user: 'light' })
      await test.clock.advance(1_000)
      expect(light.granted).toBe(1)
    })

    it('shares slots among waiting users by their weights', async () => {
      await using test = await start(create, { maxWaiting: 200, maxWaitingPerUser: 200 })
      test.ask({ user: 'first', count: 11 })
      const heavy = test.ask({ user: 'heavy', weight: 2, count: 60, deadlineMs: 60_000 })
      const normal = test.ask({ user: 'normal', count: 60, deadlineMs: 60_000 })
      await test.clock.advance(9_000)
      expect(normal.granted).toBeGreaterThan(6)
      expect(heavy.granted / normal.granted).toBeGreaterThan(1.7)
      expect(heavy.granted / normal.granted).toBeLessThan(2.3)
    })

    it('serves background requests after all users, even if they came first', async () => {
      await using test = await start(create)
      test.ask({ user: 'ada', count: 10 })
      await test.clock.settle()
      const refresh = test.ask({ user: 'ada', priority: 'background' })
      const own = test.ask({ user: 'bob', count: 3 })
      for (let step = 0; step < 40 && own.granted < 3; step += 1) await test.clock.advance(50)
      expect(own.granted).toBe(3)
      expect(refresh.granted).toBe(0)
      await test.clock.advance(1_000)
      expect(refresh.granted).toBe(1)
    })

    it('refuses a user whose queue is full, with a time to ask again', async () => {
      await using test = await start(create)
      const asked = test.ask({ user: 'ada', count: 31 })
      await test.clock.settle()
      expect(asked.refusals).toMatchObject([{ reason: 'user-queue-full' }])
      expect(asked.refusals[0]?.retryAfterMs).toBeGreaterThan(1_000)
      expect(test.events).toContainEqual(
        expect.objectContaining({ type: 'budget.refused', reason: 'user-queue-full' }),
      )
    })

    it('lets a new request into a full queue in place of the last one', async () => {
      await using test = await start(create, { maxWaiting: 20, maxWaitingPerUser: 30 })
      const crowd = test.ask({ user: 'crowd', count: 30 })
      const newcomer = test.ask({ user: 'newcomer' })
      const late = test.ask({ user: 'crowd' })
      await test.clock.advance(1_700)
      expect(newcomer.granted).toBe(1)
      expect([...crowd.refusals, ...late.refusals]).toMatchObject([
        { reason: 'queue-full' },
        { reason: 'queue-full' },
      ])
    })

    it('refuses at once if the wait would be longer than the deadline, with a correct time to ask again', async () => {
      await using test = await start(create)
      test.ask({ user: 'ada', count: 25 })
      const hasty = test.ask({ user: 'ada', deadlineMs: 2_000 })
      await test.clock.settle()
      expect(hasty.refusals).toMatchObject([{ reason: 'too-late' }])
      await test.clock.advance(hasty.refusals[0]?.retryAfterMs ?? 0)
      const again = test.ask({ user: 'ada', deadlineMs: 2_000 })
      await test.clock.advance(2_000)
      expect(again.granted).toBe(1)
    })

    it('gives slots only to requests with time left for the usual round trip', async () => {
      await using test = await start(create)
      test.answerAfter(() => 200)
      // Twice what the account can serve.
      for (let turn = 0; turn < 200; turn += 1) {
        test.ask({ user: `user ${turn % 10}`, deadlineMs: 3_000 })
        await test.clock.advance(100)
      }
      await test.clock.advance(3_000)
      // At the first request the usual time is not known yet.
      const late = test.spans.slice(1).filter(({ leftMs }) => leftMs < 200)
      expect(late).toEqual([])
      expect(test.spans.length).toBeGreaterThan(90)
    })

    it('does not stop forever after slow responses: half of the time is left for waiting', async () => {
      await using test = await start(create)
      test.answerAfter(() => 10_000)
      test.ask({ user: 'ada', deadlineMs: 20_000 })
      await test.clock.advance(20_000)
      test.answerAfter(() => 20)
      const hasty = test.ask({ user: 'ada', deadlineMs: 1_000 })
      await test.clock.advance(500)
      expect(hasty.granted).toBe(1)
    })

    it('refuses a request whose deadline has passed', async () => {
      await using test = await start(create)
      const late = test.ask({ user: 'ada', deadlineMs: 0 })
      await test.clock.settle()
      expect(late.refusals).toMatchObject([{ reason: 'too-late' }])
    })

    it('keeps waiting if its caller gets more time', async () => {
      await using test = await start(create, { burst: 25 })
      const held = await test.hold('ada', 25)
      let until = test.clock.now() + 6_000
      const late = test.ask({ user: 'dan', deadlineMs: () => until - test.clock.now() })
      await test.clock.advance(500)
      until += 10_000
      await test.clock.advance(500)
      for (const slot of held) slot.release('answered')
      await test.clock.advance(6_000)
      expect(late).toMatchObject({ granted: 1, refusals: [] })
    })

    it('rejects with the reason of the signal, and leaves the queue', async () => {
      await using test = await start(create)
      test.ask({ user: 'ada', count: 11 })
      await test.clock.settle()
      const controller = new AbortController()
      const left = test.ask({ user: 'bob', signal: controller.signal })
      const next = test.ask({ user: 'cem' })
      await test.clock.settle()
      controller.abort(new Error('gone'))
      await test.clock.advance(1_300)
      expect(left.errors).toEqual([new Error('gone')])
      expect(next.granted).toBe(1)
      expect(test.grants).toHaveLength(12)
      const never = test.ask({ user: 'dora', signal: controller.signal })
      await test.clock.settle()
      expect(never.errors).toEqual([new Error('gone')])
    })

    it('releases a slot that was granted to a caller that has left', async () => {
      await using test = await start(create)
      const controller = new AbortController()
      const left = test.ask({ user: 'bob', signal: controller.signal })
      controller.abort(new Error('gone'))
      await test.clock.settle()
      expect(left.errors).toHaveLength(1)
      expect(test.gauge().used).toBe(0)
    })

    it('freezes all until the Retry-After of a 429 has passed', async () => {
      await using test = await start(create)
      const [slot] = await test.hold('ada', 1)
      test.budget.rateLimited(3_000, slot)
      slot?.release('answered')
      await test.clock.settle()
      const next = test.ask({ user: 'bob' })
      const hasty = test.ask({ user: 'cem', deadlineMs: 1_000 })
      await test.clock.settle()
      expect(hasty.refusals).toMatchObject([{ reason: 'too-late' }])
      expect(test.gauge().frozenMs).toBeGreaterThan(2_900)
      await test.clock.advance(2_999)
      expect(next.granted).toBe(0)
      await test.clock.advance(200)
      expect(next.granted).toBe(1)
      expect(test.gauge().frozenMs).toBe(0)
    })

    it('refuses waiters for which a freeze leaves no time', async () => {
      await using test = await start(create)
      const [slot] = await test.hold('ada', 10)
      test.ask({ user: 'ada' })
      const waiting = test.ask({ user: 'bob', deadlineMs: 4_000 })
      await test.clock.settle()
      test.budget.rateLimited(8_000, slot)
      await test.clock.advance(300)
      expect(waiting.refusals).toMatchObject([{ reason: 'too-late' }])
      expect(waiting.refusals[0]?.retryAfterMs).toBeGreaterThan(7_000)
    })

    it('without a Retry-After pauses for one second, then two, four and five, with some jitter', async () => {
      await using test = await start(create)
      const pauses: number[] = []
      for (let incident = 0; incident < 5; incident += 1) {
        const [slot] = await test.hold('ada', 1)
        test.budget.rateLimited(undefined, slot)
        slot?.release('answered')
        await test.clock.settle()
        pauses.push(test.gauge().frozenMs)
        await test.clock.advance(7_000)
      }
      for (const [index, base] of [1_000, 2_000, 4_000, 5_000, 5_000].entries()) {
        expect(pauses[index]).toBeGreaterThanOrEqual(base)
        expect(pauses[index]).toBeLessThanOrEqual(base * 1.25)
      }
    })

    it('counts several 429s of one moment as one', async () => {
      await using test = await start(create)
      const slots = await test.hold('ada', 3)
      for (const slot of slots) test.budget.rateLimited(undefined, slot)
      await test.clock.settle()
      // The fourth arrives after the pause, for a request that was sent before it.
      await test.clock.advance(2_000)
      test.budget.rateLimited(undefined, slots[1])
      await test.clock.settle()
      expect(test.events.filter(({ type }) => type === 'budget.limit')).toHaveLength(1)
      expect(test.gauge().foreignUse).toBe(1)
    })

    it('counts several 429s of one moment as one, even without their slots', async () => {
      await using test = await start(create)
      await test.hold('ada', 1)
      for (let answer = 0; answer < 2; answer += 1) {
        test.budget.rateLimited(undefined)
        await test.clock.settle()
      }
      expect(test.gauge()).toMatchObject({ limit: 23, foreignUse: 1 })
    })

    it('reports foreign use, removes two slots, and returns them after half a minute without a 429', async () => {
      await using test = await start(create)
      const [slot] = await test.hold('ada', 2)
      test.budget.rateLimited(1_000, slot)
      await test.clock.settle()
      expect(test.gauge()).toMatchObject({ limit: 23, foreignUse: 1 })
      const lowered = { reason: 'foreign-use', limit: 23, used: 2, frozenMs: 1_000 } as const
      expect(test.events).toContainEqual({ type: 'budget.limit', ...lowered })
      await test.clock.advance(29_900)
      expect(test.gauge().limit).toBe(23)
      await test.clock.advance(200)
      await test.hold('ada', 1)
      expect(test.gauge().limit).toBe(25)
      expect(test.events).toContainEqual(
        expect.objectContaining({ type: 'budget.limit', reason: 'recovered', limit: 25, frozenMs: 0 }),
      )
    })

    it.each([
      { limit: 1, after: [1, 1, 1] },
      { limit: 3, after: [2, 1, 1] },
      { limit: 25, after: [23, 21, 19] },
      { limit: 1_000, after: [920, 840, 760] },
    ])('gives up a part of $limit slots after a 429, and never the last fifth', async ({ limit, after }) => {
      await using test = await start(create, { limit })
      const limits: number[] = []
      for (let incident = 0; incident < 3; incident += 1) {
        const [slot] = await test.hold('ada', 1)
        slot?.release('unsent')
        test.budget.rateLimited(1_000)
        await test.clock.settle()
        limits.push(test.gauge().limit)
        await test.clock.advance(7_000)
      }
      expect(limits).toEqual(after)
      await test.clock.advance(30_000)
      expect(test.gauge().limit).toBe(limit)
    })

    it('does not use the reserve', async () => {
      await using test = await start(create, { reserve: 5, burst: 25 })
      const asked = test.ask({ user: 'ada', count: 25 })
      await test.clock.settle()
      expect(asked.granted).toBe(20)
      expect(test.gauge()).toMatchObject({ limit: 20, used: 20, waiting: 5 })
    })

    it('refuses waiting and new requests once it closes, and slots can still be released', async () => {
      await using test = await start(create)
      const slots = await test.hold('ada', 10)
      const waiting = test.ask({ user: 'ada' })
      await test.clock.settle()
      await test.budget.close()
      const newcomer = test.ask({ user: 'cem' })
      await test.clock.settle()
      expect(waiting.refusals).toMatchObject([{ reason: 'closing' }])
      expect(newcomer.refusals).toMatchObject([{ reason: 'closing' }])
      for (const slot of slots) slot.release('unsent')
      await test.clock.settle()
      expect(test.gauge().used).toBe(0)
    })

    it('S40 a new user waits for at most one request of each waiting user, whatever the weights are', async () => {
      for (let seed = 0; seed < 4 * SEED_FACTOR; seed += 1) {
        await using test = await start(create, { maxWaiting: 1_000, maxWaitingPerUser: 100 })
        expect(await arrivals(test, seed), `seed ${seed}`).toEqual([])
      }
    })

    it('S40 a user whose weight has grown is not further behind than one request', async () => {
      await using test = await start(create)
      test.ask({ user: 'filler', count: 10 })
      await test.clock.settle()
      const first = test.ask({ user: 'first', weight: 0.01, count: 5 })
      const controller = new AbortController()
      test.ask({ user: 'grown', weight: 0.01, signal: controller.signal })
      const grown = test.ask({ user: 'grown', weight: 100, count: 15 })
      while (first.granted === 0) await test.clock.advance(20)
      controller.abort()
      const light = test.ask({ user: 'light' })
      while (light.granted === 0) await test.clock.advance(20)
      expect(grown.granted).toBeLessThanOrEqual(1)
    })

    it.each(['user', 'background'] as const)(
      'S40 a stream of new users does not stop a waiting one, whatever the unit of weights is: priority %s',
      async (priority) => {
        const served: number[] = []
        for (const weight of [0.01, 1, 100]) {
          await using test = await start(create, { maxWaiting: 1_000 })
          test.ask({ user: 'first', count: 10 })
          await test.clock.settle()
          const waiting = test.ask({ user: 'ada', weight, priority, count: 20, deadlineMs: 60_000 })
          // As many as the account has slots.
          for (let index = 0; index < 100; index += 1) {
            test.ask({ user: `new ${index}`, weight, priority, deadlineMs: 60_000 })
            await test.clock.advance(200)
          }
          served.push(waiting.granted)
        }
        expect(new Set(served).size).toBe(1)
        expect(served[0]).toBeGreaterThanOrEqual(5)
      },
    )

    it('S40 a light user who wants a page of a heavy one waits as if alone', async () => {
      const waits: number[] = []
      for (const page of [19, 20]) {
        await using test = await start(create, { maxWaiting: 100, maxWaitingPerUser: 100 })
        const users = Array.from({ length: 20 }, () => [{ user: 'heavy' }])
        test.ask({ user: 'heavy', count: 10 })
        await test.clock.settle()
        const pages = users.map((of) => test.ask({ user: () => of, deadlineMs: 60_000 }))
        await test.clock.advance(1_000)
        users[page]?.push({ user: 'light' })
        const light = pages[page] ?? test.ask({ user: 'light' })
        const from = test.clock.now()
        while (light.granted === 0 && test.clock.now() < from + 5_000) await test.clock.advance(50)
        waits.push(test.clock.now() - from)
      }
      expect(waits[0]).toBe(waits[1])
      expect(waits[0]).toBeLessThan(1_000)
    })

    it('S40 a request of several users is charged only to the user whose place it has', async () => {
      await using test = await start(create)
      test.ask({ user: 'filler', count: 16 })
      await test.clock.settle()
      const both = test.ask({ user: () => [{ user: 'light', weight: 0.25 }, { user: 'heavy' }] })
      while (both.granted === 0) await test.clock.advance(20)
      // One of them was charged, so the other one is next.
      const [again, next] = [test.ask({ user: 'light', weight: 0.25 }), test.ask({ user: 'heavy' })]
      while (again.granted + next.granted === 0) await test.clock.advance(20)
      expect([again.granted, next.granted]).toEqual([0, 1])
    })

    it('a background request that a user joins is no longer served last', async () => {
      await using test = await start(create)
      test.ask({ user: 'ada', count: 25 })
      await test.clock.settle()
      const waiting: SlotUser[] = [{ user: 'bob', priority: 'background' }]
      const page = test.ask({ user: () => waiting })
      await test.clock.advance(1_000)
      expect(page.granted).toBe(0)
      waiting.push({ user: 'bob' })
      await test.clock.advance(1_000)
      expect(page.granted).toBe(1)
    })

    it('S40 a light user is not refused because a heavy user has filled the queue', async () => {
      await using test = await start(create, { maxWaiting: 5 })
      test.ask({ user: 'heavy', count: 10 })
      await test.clock.settle()
      const pages = Array.from({ length: 7 }, () => test.ask({ user: () => [{ user: 'heavy' }] }))
      await test.clock.settle()
      expect(pages.flatMap(({ refusals }) => refusals)).toHaveLength(2)
      const light = test.ask({ user: () => [{ user: 'light' }] })
      await test.clock.advance(1_300)
      expect(light).toMatchObject({ granted: 1, refusals: [] })
    })

    it('S9 accepts any user id, even a name that is special in JavaScript', async () => {
      await using test = await start(create)
      const asked = ['__proto__', 'constructor', 'prototype', ''].map((user) => test.ask({ user }))
      await test.clock.settle()
      expect(asked.map(({ granted }) => granted)).toEqual([1, 1, 1, 1])
      expect({}).not.toHaveProperty('1')
    })
  })
}

/** The largest number of the given times in any window of that length. */
function most(times: readonly number[], windowMs: number): number {
  return Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length))
}

/**
 * The largest number of requests that the upstream may count at one time: from the grant to a window after
 * the response.
 */
function mostHeld(spans: readonly Span[], windowMs = 5_000): number {
  const heldAt = (at: number): number =>
    spans.filter(({ grantedAt, answeredAt }) => grantedAt <= at && at <= answeredAt + windowMs).length
  return Math.max(0, ...spans.map(({ grantedAt }) => heldAt(grantedAt)))
}

/**
 * Users with random weights come at random times, alone and in bursts. Some stay and always have requests in
 * progress. Returns the new users before whose first grant there were too many others.
 */
async function arrivals({ budget, clock }: RunningTest, seed: number): Promise<unknown[]> {
  const random = seededRandom(seed)
  const below = (max: number): number => Math.floor(random() * max)
  const weightOf = (): number => [0.01, 1, 1, 100, 10 ** (4 * random() - 2)][below(5)] ?? 1
  const waiting = new Map<string, number>()
  const late: unknown[] = []
  let grants = 0
  const ask = async (user: string, weight: number, stays: boolean): Promise<void> => {
    const controller = new AbortController()
    const [isNew, since, users] = [!waiting.has(user), grants, [...waiting.values()].filter(Boolean).length]
    waiting.set(user, (waiting.get(user) ?? 0) + 1)
    if (below(6) === 0) clock.after(below(3_000), () => controller.abort())
    const slot = await budget
      .acquire({ user, weight, deadlineMs: 600_000, signal: controller.signal })
      .catch((error: unknown) => {
        if (error instanceof BudgetRefusal) late.push(error)
      })
    waiting.set(user, (waiting.get(user) ?? 0) - 1)
    const before = grants - since
    if (slot && isNew && before > users) late.push({ user, weight, users, before })
    if (slot) grants += 1
    clock.after(below(100), () => {
      slot?.release('answered')
      if (stays) void ask(user, below(4) === 0 ? weightOf() : weight, true)
    })
  }
  for (let index = 0; index < 200; index += 1) {
    const stays = below(20) === 0
    for (let one = 0; one < (below(20) === 0 ? 12 : below(2)); one += 1) {
      const [weight, changes] = [weightOf(), below(4) === 0]
      for (let count = 0; count <= (stays ? below(20) : below(3)); count += 1)
        void ask(`user ${index}.${one}`, changes ? weightOf() : weight, stays)
    }
    await clock.advance(below(500))
  }
  return late
}

interface Span {
  readonly grantedAt: number
  answeredAt: number
  /** The caller's remaining time at the grant. */
  readonly leftMs: number
}

interface Asked {
  granted: number
  readonly refusals: BudgetRefusal[]
  readonly errors: unknown[]
}

interface Wanted extends Partial<SlotRequest> {
  readonly user: SlotRequest['user']
  readonly count?: number
}

interface RunningTest extends BudgetUnderTest {
  readonly grants: number[]
  readonly spans: Span[]
  gauge(): BudgetGauge
  /** Asks for slots, and answers each granted request after `answerAfter` (default 20 ms). */
  ask(wanted: Wanted): Asked
  /** Takes slots that stay in use. */
  hold(user: string, count: number): Promise<Slot[]>
  answerAfter(latencyMs: () => number): void
}

async function start(
  create: CreateBudgetUnderTest,
  options: Partial<BudgetOptions> = {},
): Promise<RunningTest> {
  const test = await create(options)
  const { budget, clock } = test
  const grants: number[] = []
  const spans: Span[] = []
  let latencyMs = (): number => 20

  const acquire = (wanted: Wanted): Promise<Slot> => {
    const { signal = new AbortController().signal, deadlineMs = 10_000, user, weight, priority } = wanted
    return budget.acquire({ user, weight, priority, deadlineMs, signal })
  }

  return {
    ...test,
    grants,
    spans,
    gauge: () => budget.gauge(),
    ask(wanted) {
      const asked: Asked = { granted: 0, refusals: [], errors: [] }
      const one = async (): Promise<void> => {
        const { deadlineMs = 10_000 } = wanted
        const until = clock.now() + (typeof deadlineMs === 'number' ? deadlineMs : Infinity)
        try {
          const slot = await acquire(wanted)
          asked.granted += 1
          grants.push(clock.now())
          const span: Span = { grantedAt: clock.now(), answeredAt: Infinity, leftMs: until - clock.now() }
          spans.push(span)
          clock.after(latencyMs(), () => {
            span.answeredAt = clock.now()
            slot.release('answered')
          })
        } catch (error) {
          if (error instanceof BudgetRefusal) asked.refusals.push(error)
          else asked.errors.push(error)
        }
      }
      for (let index = 0; index < (wanted.count ?? 1); index += 1) void one()
      return asked
    },
    async hold(user, count) {
      const one = (): Promise<Slot> =>
        budget.acquire({ user, deadlineMs: 10_000, signal: new AbortController().signal })
      const slots = Promise.all(Array.from({ length: count }, one))
      await clock.settle()
      return slots
    },
    answerAfter(latency) {
      latencyMs = latency
    },
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  }
}
