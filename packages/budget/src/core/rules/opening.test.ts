import { describe, expect, it } from 'vitest'
import { ACCOUNT } from '../../account.test.kit.js'
import { budgetRules } from '../../BudgetOptions.js'
import type { BudgetState, HeldSlot } from './BudgetState.js'
import { answered, rules, slotOf, turnOf, waiterOf } from './ledger.test.kit.js'
import { countInstances, createForecast, openAt } from './opening.js'
import type { Turn } from './Turn.js'

const queueOf = (length: number): ReturnType<typeof waiterOf>[] =>
  Array.from({ length }, (_, index) => waiterOf(`one:w${index}`, 'ada'))

/** So many slots, answered at this time and each the given time after the one before. */
const answeredSlots = (count: number, from: number, apartMs = 0): HeldSlot[] =>
  Array.from({ length: count }, (_, index) => answered(`one:${index}`, from + index * apartMs))

const inFlight = (count: number, at: number): HeldSlot[] =>
  Array.from({ length: count }, (_, index) => slotOf(`one:${index}`, at))

/** When the head of a queue of this length gets a slot. */
const opensAt = (fields: Partial<BudgetState>, now: number, waiting = 1, more: Partial<Turn> = {}): number =>
  openAt(turnOf(fields, now, more), queueOf(waiting), false)

describe('the window', () => {
  it('is open at once while nothing is held, and not before the end of a freeze', () => {
    expect(opensAt({}, 1_000)).toBe(0)
    expect(opensAt({ frozenUntil: 3_000 }, 1_000)).toBe(3_000)
    expect(opensAt({ frozenUntil: 3_000, slots: [answered('one:1', 2_900)] }, 2_950)).toBe(3_050)
  })

  it('opens when fewer than the limit are left, however many there are', () => {
    expect(opensAt({ slots: answeredSlots(25, 1_000, 10).toReversed() }, 2_000)).toBe(6_010)
    expect(opensAt({ slots: answeredSlots(26, 1_000, 10).toReversed() }, 2_000)).toBe(6_020)
    expect(opensAt({ slots: answeredSlots(24, 1_000, 10).toReversed() }, 2_000)).toBe(2_190)
  })

  it('counts a request in flight as if its response came now, and no longer than its slot is held', () => {
    expect(opensAt({ slots: inFlight(25, 0) }, 1_000)).toBe(6_010)
    expect(opensAt({ slots: inFlight(25, 0) }, 14_000)).toBe(15_000)
  })

  it('is smaller while slots are given up after a 429, and has one slot at least', () => {
    const slots = answeredSlots(20, 1_000, 10)
    expect(opensAt({ slots, lowered: 5 }, 2_000)).toBe(6_010)
    expect(opensAt({ slots, lowered: 4 }, 2_000)).toBeLessThan(6_010)
    expect(opensAt({ slots: answeredSlots(1, 1_000), lowered: 25 }, 2_000)).toBe(6_010)
    expect(opensAt({ lowered: 25 }, 2_000)).toBe(0)
  })
})

describe('the pace', () => {
  it('is three quarters of the even interval', () => {
    expect(opensAt({ slots: [answered('one:1', 1_000), answered('one:2', 900)] }, 1_000)).toBe(1_150)
    const two = { ...rules, limit: 2 }
    expect(opensAt({ slots: [answered('one:1', 1_000)] }, 1_000, 1, { rules: two })).toBe(2_875)
  })

  it('is five grants in any second', () => {
    const slots = answeredSlots(5, 1_000, 100)
    expect(opensAt({ slots: slots.toReversed() }, 1_500)).toBe(2_000)
    expect(opensAt({ slots: [...slots, answered('one:9', 800)] }, 1_500)).toBe(2_000)
    expect(opensAt({ slots: slots.slice(1) }, 1_500)).toBe(1_550)
  })

  it('spreads the slots that are left over the time until the first is free, if more requests wait', () => {
    const slots = answeredSlots(24, 1_000, 10).toReversed()
    expect(opensAt({ slots }, 2_000, 1)).toBe(2_190)
    expect(opensAt({ slots }, 2_000, 2)).toBe(1_230 + (6_010 - 1_230) / 2)
    expect(opensAt({ slots: slots.slice(2) }, 2_000, 3)).toBe(2_170)
    expect(opensAt({ slots: slots.slice(2) }, 2_000, 4)).toBe(1_210 + (6_010 - 1_210) / 4)
  })

  it('takes a slot in flight for one that was answered at once', () => {
    expect(opensAt({ slots: inFlight(24, 0) }, 100, 2)).toBe(2_500)
    expect(opensAt({ slots: [...answeredSlots(23, 0), slotOf('one:x', 100)] }, 100, 2)).toBe(2_555)
    expect(opensAt({ slots: [...answeredSlots(23, 10), slotOf('one:x', 0)] }, 100, 2)).toBe(2_505)
  })
})

describe('a burst', () => {
  const held = (count: number): HeldSlot[] => answeredSlots(count, 1_000)
  const burstAt = (fields: Partial<BudgetState>, head = waiterOf('one:w', 'ada')): number =>
    openAt(turnOf(fields, 1_100), [head], true)

  it('does not keep the pace until its user holds ten slots', () => {
    expect(burstAt({ slots: held(9) })).toBe(0)
    expect(burstAt({ slots: held(10) })).toBe(2_000)
    expect(burstAt({ slots: held(10) }, waiterOf('one:w', 'bob'))).toBe(0)
  })

  it('keeps the window, and a freeze', () => {
    const slots = answeredSlots(25, 1_000, 10)
    expect(openAt(turnOf({ slots }, 2_000), [waiterOf('one:w', 'bob')], true)).toBe(6_010)
    expect(burstAt({ slots: held(9), frozenUntil: 5_000 })).toBe(5_000)
  })

  it('is not for the refresh of a page, after a 429, or for nobody', () => {
    expect(burstAt({ slots: held(9) }, waiterOf('one:w', 'ada', { background: true }))).toBe(2_000)
    expect(burstAt({ slots: held(9), lowered: 1 })).toBe(2_000)
    expect(openAt(turnOf({ slots: held(9) }, 1_100), [], true)).toBe(2_000)
  })
})

describe('strict mode', () => {
  const dueAt = { one: 9_000, two: 9_000, three: 9_000, four: 9_000 }

  it('counts slots in a second until one second after the response', () => {
    const slots = answeredSlots(5, 1_000)
    expect(opensAt({ slots, strict: true }, 1_500)).toBe(2_010)
    expect(opensAt({ slots, strict: false }, 1_500)).toBe(2_000)
    expect(opensAt({ slots: inFlight(5, 1_000), strict: true }, 1_500)).toBe(2_510)
    expect(opensAt({ slots: slots.slice(1), strict: true }, 1_500)).toBe(1_150)
  })

  it('keeps the window too', () => {
    expect(opensAt({ slots: answeredSlots(25, 1_000, 10), strict: true }, 2_000)).toBe(6_010)
  })

  it.each([
    [['one'], 5],
    [['two'], 4],
    [['one', 'two'], 4],
    [['two', 'three'], 3],
    [['two', 'three', 'four'], 2],
  ])(
    'while %j may work without the state, one of four instances has %i slots in a second',
    (apart, count) => {
      const fields = { strict: true, dueAt, apart: Object.fromEntries(apart.map((name) => [name, 15_000])) }
      // Just late, so nothing of the window is kept back.
      const at = (slots: number): number =>
        opensAt({ ...fields, slots: answeredSlots(slots, 10_000) }, 10_000)
      expect(at(count)).toBe(11_010)
      expect(at(count - 1)).not.toBe(11_010)
    },
  )

  it('keeps the share of each of them', () => {
    const fields = { strict: true, dueAt: { one: 9_000, two: 9_000 }, apart: { two: 15_000, three: 15_000 } }
    expect(opensAt({ ...fields, slots: answeredSlots(1, 10_000) }, 10_000)).toBe(11_010)
  })

  it('knows a slot that was answered at the beginning of the clock', () => {
    expect(opensAt({ slots: answeredSlots(5, 0), strict: true }, 100)).toBe(1_010)
  })

  it('has one slot in a second at least', () => {
    const fields = { strict: true, dueAt: { one: 9_000 }, apart: { two: 15_000, three: 15_000 } }
    expect(opensAt(fields, 10_000)).toBe(0)
    expect(opensAt({ ...fields, slots: answeredSlots(1, 10_000) }, 10_000)).toBeGreaterThanOrEqual(11_010)
  })
})

describe('the share of an instance that may be working without the state', () => {
  /** Slots that may be used at present. */
  const limit = (fields: Partial<BudgetState>, now: number, more: Partial<Turn> = {}): number => {
    const turn = turnOf(fields, now, more)
    const { waitMs } = createForecast(turn, [])
    // The first position that waits for another window is that of the limit.
    const first = waitMs(0)
    let position = 1
    while (waitMs(position) < first + turn.rules.windowMs) position += 1
    return position
  }
  const away = { dueAt: { one: 20_000, two: 5_000 }, apart: { two: 60_000 } }

  it.each([
    [5_500, 13],
    [5_501, 25],
    [6_999, 25],
    [7_000, 13],
  ])(
    'at %i ms, if it was due at 5,000, the others have %i slots: just late, it uses only what it holds',
    (now, slots) => {
      expect(limit(away, now)).toBe(slots)
    },
  )

  it('is kept back at once, if the window is so short that it may have begun again', () => {
    const short = budgetRules({ ...ACCOUNT, windowMs: 1_000, maxWaiting: 10 })
    for (const now of [5_400, 5_499, 5_500, 5_501, 6_000])
      expect([now, limit(away, now, { rules: short })]).toEqual([now, 13])
  })

  it('is less by the slots that are known', () => {
    const known = (count: number): HeldSlot[] =>
      Array.from({ length: count }, (_, index) => slotOf(`two:${index}`, 0))
    const at = (count: number): number =>
      opensAt({ ...away, slots: [...known(count), ...answeredSlots(13, 9_000)] }, 10_000)
    // 13 + 3 slots are used of 25 less 9.
    expect(at(3)).toBe(14_010)
    expect(at(12)).toBe(14_010)
    // Its own are beyond its share: it takes of nobody.
    const many = { ...away, slots: [...known(14), ...answeredSlots(11, 9_000)] }
    expect(opensAt(many, 10_000)).toBe(14_010)
    expect(opensAt({ ...many, slots: many.slots.slice(0, -1) }, 10_000)).toBe(10_000)
  })

  it('is not kept back from itself', () => {
    expect(limit({ dueAt: { one: 5_000, two: 20_000 }, apart: { one: 60_000 } }, 10_000)).toBe(25)
  })

  it('is a slot at least, and one of all is left', () => {
    const names = Array.from({ length: 30 }, (_, index) => `i${index}`)
    const dueAt = Object.fromEntries(names.map((name) => [name, 0]))
    expect(limit({ dueAt, apart: { i1: 60_000 } }, 10_000)).toBe(24)
    expect(limit({ dueAt, apart: Object.fromEntries(names.map((name) => [name, 60_000])) }, 10_000)).toBe(1)
    expect(limit({ dueAt: {}, apart: { two: 60_000 } }, 10_000)).toBe(1)
  })
})

it('instances are those that are expected to call', () => {
  expect(countInstances(turnOf({}, 0).state)).toBe(0)
  expect(countInstances(turnOf({ dueAt: { one: 0, two: 5 } }, 0).state)).toBe(2)
})

describe('the forecast', () => {
  const forecast = (fields: Partial<BudgetState>, now: number, waiting = 0) =>
    createForecast(turnOf(fields, now), queueOf(waiting))

  it('spreads the requests evenly over the windows', () => {
    const { opensAt: at, waitMs } = forecast({}, 1_000)
    expect(at).toBe(1_000)
    expect([0, 1, 24, 25, 26, 50].map((position) => waitMs(position))).toEqual([
      0, 200, 4_800, 5_000, 5_200, 10_000,
    ])
  })

  it('begins when the window opens', () => {
    const { opensAt: at, waitMs } = forecast({ frozenUntil: 3_000 }, 1_000)
    expect(at).toBe(3_000)
    expect([0, 1].map((position) => waitMs(position))).toEqual([2_000, 2_200])
  })

  it('waits for the slot that is free then', () => {
    const used = [...answeredSlots(24, 1_000), answered('one:x', 5_900)]
    const full = forecast({ slots: used }, 6_000)
    expect(full.opensAt).toBe(6_050)
    expect(full.waitMs(23)).toBe(6_050 + 23 * 200 - 6_000)
    expect(full.waitMs(24)).toBe(10_910 - 6_000)
    const left = forecast({ slots: answeredSlots(20, 5_000) }, 5_500)
    expect(left.opensAt).toBe(6_000)
    expect(left.waitMs(4)).toBe(6_800 - 5_500)
    expect(left.waitMs(5)).toBe(10_010 - 5_500)
  })

  it('is in whole milliseconds, and promises nothing too early', () => {
    expect(forecast({ lowered: 1 }, 1_000).waitMs(1)).toBe(209)
  })

  it('keeps the pace, also for one that might be a burst', () => {
    expect(forecast({ slots: [answered('one:1', 1_000, { user: 'bob' })] }, 1_000, 1).opensAt).toBe(1_150)
  })

  it('knows how many wait', () => {
    const slots = answeredSlots(24, 1_000, 10)
    expect(forecast({ slots }, 2_000, 1).opensAt).toBe(2_190)
    expect(forecast({ slots }, 2_000, 2).opensAt).toBe(3_620)
  })
})
