import { describe, expect, it } from 'vitest'
import type { BudgetState, HeldSlot } from './BudgetState.js'
import { ask, createLedger, SENDER, slotOf, stateWith, turnOf, waiterOf } from './ledger.test.kit.js'
import { isBeingMade, isSameCall, shareCall, tellShared, unshareCall } from './sharedCalls.js'

describe('a call is being made', () => {
  const inFlight = slotOf('one:1', 1_000, { call: 'list', instance: 'one' })
  const isMade = (slot: Partial<HeldSlot>, now: number, dueAt: Record<string, number>, coveredAt?: number) =>
    isBeingMade(turnOf({ slots: [{ ...inFlight, ...slot }], dueAt }, now), 'list', coveredAt)

  it('while its slot is in flight, and its instance is not late', () => {
    expect(isMade({}, 2_000, { one: 2_000 })).toBe(true)
    expect(isMade({}, 2_250, { one: 2_000 })).toBe(true)
    expect(isMade({}, 2_251, { one: 2_000 })).toBe(false)
    expect(isMade({ instance: undefined }, 251, {})).toBe(false)
    expect(isMade({ instance: 'gone' }, 250, {})).toBe(true)
  })

  it('no longer than a request may take', () => {
    expect(isMade({}, 11_000, { one: 12_000 })).toBe(true)
    expect(isMade({}, 11_001, { one: 12_000 })).toBe(false)
  })

  it('or has been made since the request was covered', () => {
    const done = { doneAt: 1_500 }
    expect(isMade(done, 2_000, { one: 2_000 }, 1_000)).toBe(true)
    expect(isMade(done, 2_000, { one: 2_000 }, 1_001)).toBe(false)
    expect(isMade(done, 2_000, { one: 2_000 })).toBe(false)
    expect(isMade({ doneAt: 0, grantedAt: 0 }, 100, { one: 100 })).toBe(false)
  })

  it('not if it is another one, or none', () => {
    const turn = turnOf({ slots: [inFlight, slotOf('one:2', 1_000)], dueAt: { one: 2_000 } }, 2_000)
    expect(isBeingMade(turn, 'other')).toBe(false)
    expect(isBeingMade(turn, undefined)).toBe(false)
  })
})

describe('requests of one call', () => {
  const waiters = [
    waiterOf('one:1', 'ada', { call: 'list' }),
    waiterOf('two:1', 'bob', { call: 'list', instance: 'two' }),
    waiterOf('one:2', 'ada', { call: 'other' }),
    waiterOf('one:3', 'ada'),
  ]
  const ids = (list: BudgetState['waiters']): string[] => list.map(({ id }) => id)

  it('leave the queue together', () => {
    const state = stateWith({ waiters, shared: [waiterOf('one:0', 'ada')] })
    expect(shareCall(state, 'list')).toBe(true)
    expect(ids(state.waiters)).toEqual(['one:2', 'one:3'])
    expect(ids(state.shared)).toEqual(['one:0', 'one:1', 'two:1'])
    expect(shareCall(state, 'list')).toBe(false)
    expect(shareCall(state, undefined)).toBe(false)
    expect(ids(state.waiters)).toEqual(['one:2', 'one:3'])
  })

  it('wait again if the slot was not used', () => {
    const held = slotOf('three:1', 0, { call: 'list' })
    const state = stateWith({ shared: waiters, virtual: 700, tags: { ada: 900 } })
    unshareCall(state, held)
    expect(held.call).toBeUndefined()
    expect(ids(state.waiters)).toEqual(['one:1', 'two:1'])
    expect(ids(state.shared)).toEqual(['one:2', 'one:3'])
    expect(state.tags).toEqual({ ada: 900, bob: 700 })
    unshareCall(state, slotOf('three:2', 0))
    expect(ids(state.shared)).toEqual(['one:2', 'one:3'])
  })

  it('are named in one reply to their own instance', () => {
    const turn = turnOf({ shared: waiters }, 0, { op: { ...SENDER, instance: 'two' }, shared: ['two:0'] })
    tellShared(turn)
    expect(turn.shared).toEqual(['two:0', 'two:1'])
    expect(ids(turn.state.shared)).toEqual(['one:1', 'one:2', 'one:3'])
  })

  it('need the same slot', () => {
    const [list, sameList, other, alone] = waiters as [(typeof waiters)[0], ...typeof waiters]
    expect(isSameCall(list, sameList!)).toBe(true)
    expect(isSameCall(list, other!)).toBe(false)
    expect(isSameCall(alone!, alone!)).toBe(true)
    expect(isSameCall(alone!, waiterOf('one:4', 'ada'))).toBe(false)
    expect(isSameCall(alone!, list)).toBe(false)
  })
})

describe('over the calls of two instances', () => {
  const two = { instance: 'two' }

  it('a request gets the call of another one, once the slot is granted', () => {
    const ledger = createLedger()
    expect(ledger.call(ask('one:1', 'ada', { call: 'list' }), 0).granted).toEqual(['one:1'])
    expect(ledger.state().slots).toMatchObject([{ call: 'list', instance: 'one' }])
    expect(ledger.call(ask('two:1', 'bob', { call: 'list' }), 10, two)).toMatchObject({
      granted: [],
      shared: ['two:1'],
      waitingTotal: 0,
    })
  })

  it.each([
    ['leave', undefined, true],
    ['release', 'unsent', true],
    ['release', 'aborted', true],
    ['release', 'answered', false],
  ] as const)(
    'after %s %s of the request that makes it, the others wait again: %j',
    (_type, outcome, again) => {
      const ledger = createLedger()
      ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 100 }, 0)
      ledger.call(ask('one:1', 'ada', { call: 'list' }), 10)
      ledger.call(ask('two:1', 'bob', { call: 'list' }), 20, two)
      expect(ledger.call(undefined, 100).granted).toEqual(['one:1'])
      expect(ledger.state().shared).toMatchObject([{ id: 'two:1' }])
      const action = outcome
        ? ({ type: 'release', id: 'one:1', outcome } as const)
        : ({ type: 'leave', id: 'one:1' } as const)
      ledger.call(action, 110)
      const reply = ledger.call(undefined, 300, two)
      expect(reply.shared).toEqual(again ? [] : ['two:1'])
      expect(reply.granted).toEqual(again ? ['two:1'] : [])
    },
  )
})
