import { describe, expect, it } from 'vitest'
import { ACCOUNT } from '../../account.test.kit.js'
import { budgetRules } from '../../BudgetOptions.js'
import type { BudgetState } from './BudgetState.js'
import { countLimited, fewestSlots, recover } from './countLimited.js'
import { answered, rules, slotOf, turnOf } from './ledger.test.kit.js'
import type { Turn } from './Turn.js'

interface Limited {
  readonly id?: string
  readonly retryAfterMs?: number
  readonly jitter?: number
}

/** The turn after a 429 at `now`. */
function limited(
  fields: Partial<BudgetState>,
  now: number,
  action: Limited = {},
  more: Partial<Turn> = {},
): Turn {
  const turn = turnOf(fields, now, more)
  countLimited(turn, { type: 'limited', id: '', jitter: 0, ...action })
  return turn
}

const frozenMs = (turn: Turn): number => turn.state.frozenUntil - turn.now

describe('the freeze after a 429', () => {
  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
    [3, 5_000],
    [9, 5_000],
  ])('after %i others in a row lasts %i ms', (limitedInRow, ms) => {
    const turn = limited({ limitedInRow, limitedAt: 5_000 }, 20_000)
    expect(frozenMs(turn)).toBe(ms)
    expect(turn.state).toMatchObject({ limitedInRow: limitedInRow + 1, limitedAt: 20_000 })
    expect(turn.notices).toMatchObject([{ type: 'budget.limit', frozenMs: ms }])
  })

  it('lasts up to a quarter longer, at random', () => {
    expect(frozenMs(limited({}, 20_000, { jitter: 1 }))).toBe(1_250)
    expect(frozenMs(limited({}, 20_000, { jitter: 0.3333 }))).toBe(1_083)
  })

  it('is the one that the upstream asks for, up to a minute', () => {
    expect(frozenMs(limited({}, 20_000, { retryAfterMs: 2_500, jitter: 1 }))).toBe(2_500)
    expect(frozenMs(limited({}, 20_000, { retryAfterMs: 0, jitter: 1 }))).toBe(0)
    expect(frozenMs(limited({}, 20_000, { retryAfterMs: 90_000 }))).toBe(60_000)
  })

  it.each([
    [-1, 20_000, 1],
    [0, 29_999, 10],
    [0, 30_000, 1],
    [5_000, 34_999, 10],
  ])('is longer only if the last one, at %i, is less than 30 s before %i', (limitedAt, now, inRow) => {
    expect(limited({ limitedAt, limitedInRow: 9 }, now).state.limitedInRow).toBe(inRow)
  })
})

describe('several 429s of one time', () => {
  it('are one incident while the first one freezes; the longest Retry-After counts', () => {
    const fields = { frozenUntil: 21_000, limitedAt: 19_500, limitedInRow: 1, lowered: 2 }
    const turn = limited(fields, 20_000, { retryAfterMs: 3_000 })
    expect(turn.state).toMatchObject({ ...fields, frozenUntil: 23_000, foreignUse: 0 })
    expect(turn.notices).toEqual([])
    expect(limited(fields, 20_000, { retryAfterMs: 500 }).state.frozenUntil).toBe(21_000)
    expect(limited(fields, 20_000).state.frozenUntil).toBe(21_000)
    expect(limited(fields, 21_000).state.foreignUse).toBe(1)
  })

  it('are one incident if the request was sent before the first, also if its 429 comes late', () => {
    const fields = {
      limitedAt: 19_500,
      limitedInRow: 1,
      slots: [slotOf('one:1', 19_500), slotOf('one:2', 19_501)],
    }
    expect(limited(fields, 23_000, { id: 'one:1' }).notices).toEqual([])
    expect(limited(fields, 23_000, { id: 'one:2' }).notices).toHaveLength(1)
    expect(limited(fields, 23_000, { id: 'one:3' }).notices).toHaveLength(1)
    // None came before.
    expect(limited({ slots: [slotOf('one:1', 0)] }, 500, { id: 'one:1' }).notices).toHaveLength(1)
  })
})

describe('the cause of a 429', () => {
  const busy = (count: number, at: number) =>
    Array.from({ length: count }, (_, index) => answered(`one:${index}`, at))

  it('is foreign use, unless our own requests of a second explain it', () => {
    const turn = limited({ slots: busy(5, 20_000), foreignUse: 3 }, 20_000)
    expect(turn.state).toMatchObject({ foreignUse: 4, secondsSuspected: 0, strict: false, lowered: 2 })
    expect(turn.notices).toEqual([
      { type: 'budget.limit', reason: 'foreign-use', limit: 23, used: 5, frozenMs: 1_000 },
    ])
  })

  it('may be a limit for single seconds: the second time strict mode begins', () => {
    const first = limited({ slots: busy(6, 20_000) }, 20_500)
    expect(first.state).toMatchObject({
      secondsSuspected: 1,
      strict: false,
      foreignUse: 0,
      lowered: 2,
      loweredAt: 20_500,
    })
    expect(first.notices).toMatchObject([{ reason: 'single-seconds', limit: 23, used: 6 }])
    const second = limited({ slots: busy(6, 20_000), secondsSuspected: 1, lowered: 2, loweredAt: 7 }, 20_500)
    expect(second.state).toMatchObject({
      secondsSuspected: 2,
      strict: true,
      foreignUse: 0,
      lowered: 0,
      loweredAt: 7,
    })
    expect(second.notices).toMatchObject([{ reason: 'strict', limit: 25, used: 6 }])
  })

  it('is foreign use in strict mode', () => {
    const { state } = limited({ slots: busy(9, 20_000), strict: true }, 20_000)
    expect(state).toMatchObject({ foreignUse: 1, secondsSuspected: 0 })
  })

  it('counts what was in flight or answered within the second', () => {
    const reason = (slots: BudgetState['slots']): unknown => limited({ slots }, 20_000).notices[0]?.reason
    const five = busy(5, 19_500)
    expect(reason([...five, answered('one:x', 19_001)])).toBe('single-seconds')
    expect(reason([...five, answered('one:x', 19_000)])).toBe('foreign-use')
    expect(reason([...five, slotOf('one:x', 10_000)])).toBe('single-seconds')
    expect(reason([...five, slotOf('one:x', 0, { doneAt: 0 })])).toBe('foreign-use')
  })
})

describe('slots that are given up', () => {
  it('are one of 12.5, until one of five is left', () => {
    const lowered = (before: number): number => limited({ lowered: before }, 20_000).state.lowered
    expect([0, 2, 18, 19, 20].map(lowered)).toEqual([2, 4, 20, 20, 20])
    // More than that were given up under other rules.
    expect(lowered(22)).toBe(22)
    expect(fewestSlots(rules)).toBe(5)
    expect(fewestSlots({ ...rules, limit: 4 })).toBe(1)
    expect(limited({}, 20_000, {}, { rules: budgetRules({ ...ACCOUNT, limit: 1 }) }).state.lowered).toBe(0)
  })

  /** After a time without a 429. */
  const recovered = (fields: Partial<BudgetState>, now: number): Turn => {
    const turn = turnOf(fields, now)
    recover(turn)
    return turn
  }

  it('come back one by one, each after 30 s', () => {
    const fields = { lowered: 3, loweredAt: 1_000, slots: [slotOf('one:1', 0)] }
    expect(recovered(fields, 30_999).state).toMatchObject({ lowered: 3, loweredAt: 1_000 })
    expect(recovered(fields, 31_000)).toMatchObject({ state: { lowered: 2, loweredAt: 31_000 }, notices: [] })
    expect(recovered(fields, 61_000).state).toMatchObject({ lowered: 1, loweredAt: 61_000 })
    const all = recovered(fields, 500_000)
    expect(all.state).toMatchObject({ lowered: 0, loweredAt: 91_000 })
    expect(all.notices).toEqual([
      { type: 'budget.limit', reason: 'recovered', limit: 25, used: 1, frozenMs: 0 },
    ])
  })

  it('come back half as many as a 429 takes, and never more than were given up', () => {
    const wide = budgetRules({ ...ACCOUNT, limit: 100 })
    const turn = turnOf({ lowered: 7, loweredAt: 0 }, 30_000, { rules: wide })
    recover(turn)
    expect(turn.state.lowered).toBe(3)
    turn.state.loweredAt = 0
    recover(turn)
    expect(turn.state.lowered).toBe(0)
  })

  it('are not reported back if none was given up', () => {
    expect(recovered({ loweredAt: 0 }, 500_000).notices).toEqual([])
    expect(recovered({ loweredAt: 7 }, 500_000).state.loweredAt).toBe(7)
  })
})
