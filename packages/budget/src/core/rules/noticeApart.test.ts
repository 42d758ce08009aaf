import { describe, expect, it } from 'vitest'
import type { BudgetState } from './BudgetState.js'
import { answered, SENDER, slotOf, turnOf, waiterOf } from './ledger.test.kit.js'
import { noticeApart } from './noticeApart.js'
import type { BudgetOp } from '../protocol.js'

/** The state after a call of instance `one`. */
function after(
  fields: Partial<BudgetState>,
  now: number,
  op: Partial<BudgetOp> = {},
  previousAt = now,
): BudgetState {
  const turn = turnOf(fields, now, { op: { ...SENDER, ...op }, previousAt })
  noticeApart(turn)
  return turn.state
}

/** A window and its grace. */
const KEPT_MS = 6_000

describe('an instance that is late for its call', () => {
  it.each([
    [5_500, {}],
    [5_501, { two: 5_000 + KEPT_MS }],
    [10_999, { two: 5_000 + KEPT_MS }],
    [11_000, {}],
  ])('at %i ms, if it was due at 5,000, may be working without the state: %j', (now, apart) => {
    expect(after({ dueAt: { one: now, two: 5_000 } }, now).apart).toEqual(apart)
  })

  it('stays so until the time that was known before', () => {
    const fields = { dueAt: { one: 12_000, two: 5_000 }, apart: { two: 14_000 } }
    expect(after(fields, 12_000).apart).toEqual({ two: 14_000 })
    expect(after({ ...fields, apart: { two: 12_001 } }, 12_000).apart).toEqual({ two: 12_001 })
    expect(after({ ...fields, apart: { two: 12_000 } }, 12_000).apart).toEqual({})
  })

  it('is given up a minute after it was due', () => {
    const apart = { two: 90_000 }
    expect(after({ dueAt: { one: 64_999, two: 5_000 }, apart }, 64_999).apart).toEqual(apart)
    const fields = { dueAt: { one: 65_000, two: 5_000 }, apart: { two: 64_500 } }
    expect(after(fields, 65_000, {}, 64_000).apart).toEqual({})
  })
})

describe('after an outage of all', () => {
  it.each([
    [5_500, {}],
    [5_501, { one: 5_501 + KEPT_MS, two: 5_501 + KEPT_MS }],
    [20_000, { one: 26_000, two: 26_000 }],
  ])('at %i ms, all due at 5,000, each has a window to come back: %j', (now, apart) => {
    expect(after({ dueAt: { one: 5_000, two: 5_000 } }, now, {}, 4_000).apart).toEqual(apart)
  })

  it('is none if the caller is not late itself', () => {
    const { apart } = after({ dueAt: { one: 5_000, two: 4_900 } }, 5_500, {}, 4_000)
    expect(apart).toEqual({ two: 4_900 + KEPT_MS })
  })

  it('one that was given up before it is not awaited', () => {
    const dueAt = { one: 50_000, two: 5_000, three: 45_000 }
    const { apart } = after({ dueAt }, 80_000, {}, 49_000)
    expect(apart).toEqual({ one: 86_000, three: 86_000 })
    expect(after({ dueAt: { one: 50_000, two: 44_000 } }, 80_000, {}, 50_000).apart).toEqual({ one: 86_000 })
    expect(after({ dueAt: { one: 50_000, two: 44_001 } }, 80_000, {}, 50_000).apart).toHaveProperty('two')
  })

  it('one that has not called for a minute before it is not awaited, whatever was kept', () => {
    const apart = { two: 90_000 }
    const fields = (two: number): Partial<BudgetState> => ({
      dueAt: { one: 66_000, two },
      apart: { ...apart },
    })
    expect(after(fields(5_000), 80_000, {}, 65_000).apart).toMatchObject({ two: 90_000 })
    expect(after(fields(5_001), 85_000, {}, 65_000).apart).toMatchObject({ two: 91_000 })
  })

  it('a caller that the state does not know is late if the state is older', () => {
    expect(after({ dueAt: { two: 500 } }, 501, {}, 0).apart).toEqual({})
    expect(after({ dueAt: { two: 100 } }, 601, {}, 0).apart).toEqual({ two: 6_601 })
  })
})

describe('a caller that had no reply', () => {
  it.each([
    ['silence', 749, {}],
    ['silence', 750, { one: 7_000 }],
    ['clock-step', 750, { one: 7_000 }],
    ['reply', 5_000, {}],
  ] as const)('after %s, for %i ms: %j', (before, silentMs, apart) => {
    expect(after({ dueAt: { one: 1_000 } }, 1_000, { after: before, silentMs }).apart).toEqual(apart)
  })
})

describe('slots of an instance that may be working without the state', () => {
  it('are held as long as its share is, if they were answered', () => {
    const slots = [
      answered('two:1', 4_000),
      slotOf('two:2', 4_000, { freeAt: 9_500 }),
      answered('three:1', 4_000),
    ]
    const late = answered('two:3', 8_000)
    const state = after({ slots: [...slots, late], dueAt: { one: 6_000 }, apart: { two: 12_000 } }, 6_000)
    expect(state.slots.map(({ id, freeAt }) => [id, freeAt])).toEqual([
      ['two:1', 12_000],
      ['two:2', 9_500],
      ['three:1', 9_010],
      ['two:3', 13_010],
    ])
  })

  it('that were answered at the beginning of the clock count as answered', () => {
    const state = after({ slots: [answered('two:1', 0)], dueAt: { one: 900 }, apart: { two: 6_000 } }, 900)
    expect(state.slots).toMatchObject([{ freeAt: 6_000 }])
  })

  it('are not taken for those of an instance whose name begins alike', () => {
    const slots = [answered('twofold:1', 4_000)]
    const state = after({ slots, dueAt: { one: 6_000 }, apart: { two: 12_000 } }, 6_000)
    expect(state.slots).toMatchObject([{ freeAt: 9_010 }])
  })
})

describe('a report', () => {
  const own = [
    { id: 'one:1', user: 'ada', grantedMsAgo: 500, doneMsAgo: -1, freeMs: 14_500 },
    { id: 'one:2', user: 'bob', call: 'list', grantedMsAgo: 900, doneMsAgo: 300, freeMs: 5_010 },
  ]

  it('takes the place of all that the state knew of the slots of its instance', () => {
    const state = after(
      {
        slots: [slotOf('one:9', 0), slotOf('two:1', 0)],
        waiters: [waiterOf('one:1', 'ada'), waiterOf('one:3', 'ada'), waiterOf('two:2', 'bob')],
        dueAt: { one: 10_000 },
        apart: { one: 12_000 },
      },
      10_000,
      { own },
    )
    expect(state.slots).toEqual([
      slotOf('two:1', 0),
      { id: 'one:1', user: 'ada', grantedAt: 9_500, doneAt: -1, freeAt: 24_500 },
      {
        id: 'one:2',
        user: 'bob',
        call: 'list',
        instance: 'one',
        grantedAt: 9_100,
        doneAt: 9_700,
        freeAt: 15_010,
      },
    ])
    expect(state.waiters.map(({ id }) => id)).toEqual(['one:3', 'two:2'])
    expect(state.apart).toEqual({})
  })

  it('ends what this call noticed too', () => {
    const { apart } = after(
      { dueAt: { one: 1_000 } },
      9_000,
      { own: [], after: 'silence', silentMs: 6_000 },
      1_000,
    )
    expect(apart).toEqual({})
  })
})
