import { expect, it } from 'vitest'
import type { BudgetState } from './BudgetState.js'
import { answered, rules, slotOf, stateWith, turnOf, waiterOf } from './ledger.test.kit.js'
import { steadyTimes } from './steadyTimes.js'

/** The state after a call at `now`, and the steps that were noticed. */
function steady(fields: Partial<BudgetState>, now: number) {
  const turn = turnOf(fields, now)
  steadyTimes(turn)
  return { state: turn.state, steps: turn.notices }
}

const HOUR_MS = 3_600_000

it('S42 a clock that stepped back takes all times with it', () => {
  const { state, steps } = steady(
    {
      lastAt: 50_000,
      slots: [slotOf('one:1', 49_000), answered('one:2', 48_000)],
      waiters: [waiterOf('one:3', 'ada', { until: 55_000 })],
      shared: [waiterOf('one:4', 'ada', { until: 56_000 })],
      dueAt: { one: 50_100 },
      apart: { two: 52_000 },
      frozenUntil: 51_000,
      loweredAt: 45_000,
      steppedAt: 44_000,
      limitedAt: 43_000,
    },
    40_000,
  )
  expect(state).toEqual(
    stateWith({
      lastAt: 40_000,
      slots: [slotOf('one:1', 39_000), answered('one:2', 38_000)],
      waiters: [waiterOf('one:3', 'ada', { until: 45_000 })],
      shared: [waiterOf('one:4', 'ada', { until: 46_000 })],
      // As late as one that may use its whole share: the step hides how long it was without the state.
      dueAt: { one: 38_000 },
      apart: { two: 42_000 },
      frozenUntil: 41_000,
      loweredAt: 35_000,
      steppedAt: 34_000,
      limitedAt: 33_000,
    }),
  )
  expect(steps).toEqual([{ type: 'budget.store', reason: 'clock-stepped', byMs: -10_000 }])
})

it.each([
  [499, 0],
  [500, 1],
])('a step of %i ms is mended; events of it: %i', (byMs, events) => {
  const { state, steps } = steady({ lastAt: 50_000, frozenUntil: 50_100 }, 50_000 - byMs)
  expect(state.frozenUntil).toBe(50_100 - byMs)
  expect(steps).toHaveLength(events)
})

it('a clock that goes on leaves all times as they are', () => {
  const fields = {
    lastAt: 40_000,
    slots: [slotOf('one:1', 39_000), answered('one:2', 38_000)],
    waiters: [waiterOf('one:3', 'ada', { until: 55_000 })],
    dueAt: { one: 40_100 },
    apart: { two: 42_000 },
    frozenUntil: 41_000,
    loweredAt: 35_000,
    steppedAt: 34_000,
    limitedAt: 33_000,
    lowered: 4,
  }
  const { state, steps } = steady(fields, 50_000)
  expect(state).toEqual(stateWith({ ...fields, lastAt: 50_000 }))
  expect(steps).toEqual([])
})

it('no time lies further ahead than it can: nothing is held for longer than it could be', () => {
  const far = 10 * HOUR_MS
  const { state } = steady(
    {
      slots: [slotOf('one:1', far), slotOf('one:2', far, { doneAt: far })],
      waiters: [waiterOf('one:3', 'ada', { until: far })],
      shared: [waiterOf('one:4', 'ada', { until: far })],
      dueAt: { one: far },
      apart: { two: far },
      frozenUntil: far,
      loweredAt: far,
      steppedAt: far,
      limitedAt: far,
    },
    1_000,
  )
  // In flight for its timeout, then a window with margin and grace.
  const freeAt = 1_000 + 10_000 + 5_000 + 10 + 1_000
  expect(state).toMatchObject({
    slots: [
      { grantedAt: 1_000, doneAt: -1, freeAt },
      { grantedAt: 1_000, doneAt: 1_000, freeAt },
    ],
    waiters: [{ until: 1_000 + HOUR_MS }],
    shared: [{ until: 1_000 + HOUR_MS }],
    dueAt: { one: 3_000 },
    apart: { two: 7_000 },
    frozenUntil: 61_000,
    loweredAt: 1_000,
    steppedAt: 1_000,
    limitedAt: 1_000,
  })
})

it('a freeze lasts no longer than a window and its grace, if these are longer than a Retry-After', () => {
  const wide = { ...rules, windowMs: 100_000 }
  const turn = turnOf({ frozenUntil: 10 * HOUR_MS }, 1_000, { rules: wide })
  steadyTimes(turn)
  expect(turn.state.frozenUntil).toBe(102_000)
})

it('a time before the beginning of the clock is not taken for "never"', () => {
  const { state } = steady({ lastAt: 9_000, slots: [answered('one:1', 500)], limitedAt: 500 }, 1_000)
  expect(state).toMatchObject({ slots: [{ grantedAt: -7_500, doneAt: 0 }], limitedAt: 0 })
})

it('what has not been, has not been after a step either', () => {
  const { state } = steady({ lastAt: 9_000, slots: [slotOf('one:1', 8_000)], limitedAt: -1 }, 1_000)
  expect(state).toMatchObject({ slots: [{ doneAt: -1 }], limitedAt: -1 })
})

it('a request that was answered at the beginning of the clock stays answered', () => {
  const { state } = steady({ slots: [answered('one:1', 0)], limitedAt: 0, lastAt: 100 }, 50)
  expect(state).toMatchObject({ slots: [{ doneAt: 0 }], limitedAt: 0 })
})

it.each([
  [-3, 0],
  [0, 0],
  [20, 20],
  [24, 20],
])('of 25 slots, %i given up under other rules are %i', (lowered, left) => {
  expect(steady({ lowered }, 1_000).state.lowered).toBe(left)
})
