import { describe, expect, it } from 'vitest'
import type { BudgetState, QueuedRequest } from './BudgetState.js'
import { countGrant, enqueue, fairOrder, forgetUsers, isPresent, startOf } from './fairOrder.js'
import { stateWith, turnOf, waiterOf } from './ledger.test.kit.js'

const NOW = 1_000

/** The ids of the queue, and of all that were ranked for it. */
function order(waiters: readonly QueuedRequest[], fields: Partial<BudgetState> = {}) {
  const turn = turnOf({ dueAt: { one: NOW }, ...fields, waiters: [...waiters] }, NOW)
  const queue = fairOrder(turn).map(({ id }) => id)
  return { queue, ranked: turn.ranked.map(({ id }) => id) }
}

describe('the order', () => {
  it('serves each user in turn, and requests of one start as they came', () => {
    const waiters = [
      waiterOf('a1', 'ada'),
      waiterOf('a2', 'ada'),
      waiterOf('b1', 'bob'),
      waiterOf('c1', 'cy'),
      waiterOf('b2', 'bob'),
    ]
    expect(order(waiters).queue).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
  })

  it('lets a user that was served before wait, and one that pays less come more often', () => {
    const waiters = [
      waiterOf('a1', 'ada'),
      waiterOf('b1', 'bob', { cost: 400 }),
      waiterOf('b2', 'bob', { cost: 400 }),
      waiterOf('b3', 'bob', { cost: 400 }),
      waiterOf('b4', 'bob', { cost: 400 }),
      waiterOf('a2', 'ada'),
    ]
    expect(order(waiters, { tags: { ada: 500, bob: 0 } }).queue).toEqual(['b1', 'b2', 'a1', 'b3', 'b4', 'a2'])
  })

  it('takes the virtual time for the start of a user that has none', () => {
    const waiters = [waiterOf('a1', 'ada'), waiterOf('b1', 'bob')]
    expect(order(waiters, { virtual: 700, tags: { bob: 600 } }).queue).toEqual(['b1', 'a1'])
    expect(order(waiters, { virtual: 700, tags: { bob: 800 } }).queue).toEqual(['a1', 'b1'])
  })

  it('puts the refresh of a page after all that users asked for, and after other requests of its user', () => {
    const waiters = [
      waiterOf('a1', 'ada', { background: true }),
      waiterOf('b1', 'bob', { background: true }),
      waiterOf('a2', 'ada'),
      waiterOf('a3', 'ada'),
    ]
    expect(order(waiters).queue).toEqual(['a2', 'a3', 'b1', 'a1'])
  })

  it('has each call once, where its first request is, and a user pays once for it', () => {
    const waiters = [
      waiterOf('a1', 'ada', { call: 'list' }),
      waiterOf('a2', 'ada', { call: 'list' }),
      waiterOf('a3', 'ada'),
      waiterOf('b1', 'bob', { call: 'list' }),
      waiterOf('b2', 'bob'),
      waiterOf('b3', 'bob', { call: 'other' }),
    ]
    expect(order(waiters)).toEqual({
      queue: ['a1', 'a3', 'b2', 'b3'],
      ranked: ['a1', 'b1', 'a3', 'b2', 'b3'],
    })
  })

  it('does not take two users for one because their names and calls run together', () => {
    const waiters = [waiterOf('a1', 'ada', { call: 'b c' }), waiterOf('a2', 'ada b', { call: 'c' })]
    expect(order(waiters).queue).toHaveLength(2)
  })

  it('leaves out the requests of an instance that is late for its call', () => {
    const waiters = [
      waiterOf('a1', 'ada', { instance: 'late' }),
      waiterOf('b1', 'bob', { instance: 'unknown' }),
      waiterOf('c1', 'cy', { instance: 'just' }),
    ]
    expect(order(waiters, { dueAt: { late: NOW - 251, just: NOW - 250 } }).queue).toEqual(['c1'])
  })

  it('forgets what it ranked before', () => {
    const turn = turnOf({ dueAt: { one: NOW }, waiters: [waiterOf('a1', 'ada')] }, NOW)
    fairOrder(turn)
    fairOrder(turn)
    expect(turn.ranked).toHaveLength(1)
  })

  it('knows an instance that is late from one that is not', () => {
    const turn = turnOf({ dueAt: { one: NOW - 250, two: NOW - 251 } }, NOW)
    expect(isPresent(turn, waiterOf('a1', 'ada'))).toBe(true)
    expect(isPresent(turn, waiterOf('a1', 'ada', { instance: 'two' }))).toBe(false)
    expect(isPresent(turnOf({}, 250), waiterOf('a1', 'ada'))).toBe(true)
    expect(isPresent(turnOf({}, 251), waiterOf('a1', 'ada'))).toBe(false)
  })
})

describe('a grant', () => {
  const grant = (
    fields: Partial<BudgetState>,
    granted: QueuedRequest,
    others: readonly QueuedRequest[],
  ): Partial<BudgetState> => {
    const state = stateWith(fields)
    countGrant(state, granted, [granted, ...others])
    return { virtual: state.virtual, tags: state.tags }
  }

  it('moves the start of its user by its cost', () => {
    expect(grant({ tags: { ada: 500 } }, waiterOf('a1', 'ada'), [])).toEqual({
      virtual: 1_000,
      tags: { ada: 1_500 },
    })
    expect(grant({ virtual: 200, tags: {} }, waiterOf('a1', 'ada', { cost: 300 }), [])).toEqual({
      virtual: 500,
      tags: { ada: 500 },
    })
  })

  it('moves the virtual time by its share of the users that wait', () => {
    const others = [waiterOf('a2', 'ada'), waiterOf('b1', 'bob'), waiterOf('b2', 'bob'), waiterOf('c1', 'cy')]
    expect(grant({ virtual: 10 }, waiterOf('a1', 'ada'), others)).toEqual({
      virtual: 343,
      tags: { ada: 1_010 },
    })
  })

  it('moves it by one at least, and to the start of its user', () => {
    const others = [waiterOf('b1', 'bob'), waiterOf('c1', 'cy')]
    expect(grant({ virtual: 10 }, waiterOf('a1', 'ada', { cost: 1 }), others).virtual).toBe(11)
    expect(grant({ virtual: 10, tags: { ada: 900 } }, waiterOf('a1', 'ada'), others).virtual).toBe(900)
  })
})

describe('the start of a user', () => {
  it('is the virtual time if it comes to the queue, and is kept while it waits', () => {
    const state = stateWith({ virtual: 700, tags: { bob: 900, cy: 100 } })
    for (const user of ['ada', 'bob', 'cy']) enqueue(state, user)
    expect(state.tags).toEqual({ ada: 700, bob: 900, cy: 100 })
    expect(startOf(state, 'bob')).toBe(900)
    expect(startOf(state, 'dan')).toBe(700)
  })

  it('is that from before if it comes back, and never ahead of the virtual time', () => {
    const state = stateWith({ virtual: 700 })
    enqueue(state, 'ada', 300)
    enqueue(state, 'bob', 800)
    expect(state.tags).toEqual({ ada: 300, bob: 700 })
  })

  it('is forgotten once it says nothing, and is kept while its user waits', () => {
    const state = stateWith({
      virtual: 700,
      tags: { ada: 700, bob: 701, cy: 100 },
      waiters: [waiterOf('c1', 'cy')],
    })
    forgetUsers(state)
    expect(state).toMatchObject({ virtual: 700, tags: { bob: 701, cy: 100 } })
    expect(state.tags).not.toHaveProperty('ada')
  })

  it('is forgotten of all if none waits: the next begin together', () => {
    const state = stateWith({ virtual: 700, tags: { ada: 900, bob: 1_200, cy: 100 } })
    forgetUsers(state)
    expect(state).toMatchObject({ virtual: 1_200 })
    expect(state.tags).toEqual({})
  })
})
