import { expect, it } from 'vitest'
import { type BudgetState, createBudgetState, STATE_VERSION } from './BudgetState.js'
import { answered, rules, slotOf, stateWith, waiterOf } from './ledger.test.kit.js'
import { readState } from './readState.js'

/** As it would come from Redis. */
const stored = (state: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(state)) as Record<string, unknown>

const full = (): BudgetState =>
  stateWith({
    slots: [slotOf('one:1', 10, { call: 'list', instance: 'one' }), answered('one:2', 20)],
    waiters: [waiterOf('one:3', 'ada', { call: 'list' }), waiterOf('one:4', 'bob', { background: true })],
    shared: [waiterOf('one:5', 'ada', { call: 'list' })],
    tags: { ada: 1_000, bob: 0 },
    dueAt: { one: 2_000 },
    apart: { two: 6_000 },
  })

it('a state is read as it was written', () => {
  expect(readState(stored(full()))).toEqual(stored(full()))
  expect(readState(stored(createBudgetState('epoch', rules)))).toEqual(createBudgetState('epoch', rules))
})

it('a field of another release stays in the state', () => {
  expect(readState({ ...stored(full()), later: [1] })).toMatchObject({ later: [1] })
})

it.each([undefined, null, 'text', 7, true, []])('%j is no state', (found) => {
  expect(readState(found)).toBe('broken')
})

it('a state of another version is broken', () => {
  expect(readState({ ...stored(full()), version: STATE_VERSION + 1 })).toBe('broken')
})

/** Not the type of any field. */
const WRONG = [null, [1], { key: 'text' }] as const

it.each(Object.keys(full()))('a state without a sound `%s` is broken', (name) => {
  const state = stored(full())
  const types = ['text', 7, true].filter((value) => typeof value !== typeof state[name])
  for (const value of [...WRONG, ...types]) expect(readState({ ...state, [name]: value })).toBe('broken')
  const { [name]: _left, ...rest } = state
  expect(readState(rest)).toBe('broken')
})

it.each([
  ['slots', ['id', 'user', 'grantedAt', 'doneAt', 'freeAt']],
  ['waiters', ['id', 'instance', 'user', 'cost', 'until', 'background']],
  ['shared', ['id', 'instance', 'user', 'cost', 'until', 'background']],
] as const)('a state with an item in `%s` that lacks one of %j is broken', (list, names) => {
  for (const name of names) {
    const state = stored(full())
    const items = state[list] as Record<string, unknown>[]
    const last = items.at(-1)
    const types = ['text', 7, true].filter((value) => typeof value !== typeof last?.[name])
    for (const value of [...WRONG, ...types, undefined])
      expect(readState({ ...state, [list]: [...items.slice(0, -1), { ...last, [name]: value }] })).toBe(
        'broken',
      )
  }
})

it.each([
  ['slots', 'call'],
  ['slots', 'instance'],
  ['waiters', 'call'],
  ['shared', 'call'],
] as const)('in `%s`, `%s` is a text or missing', (list, name) => {
  const state = stored(full())
  const [first] = state[list] as Record<string, unknown>[]
  expect(readState({ ...state, [list]: [{ ...first, [name]: 7 }] })).toBe('broken')
  expect(readState({ ...state, [list]: [{ ...first, [name]: null }] })).toBe('broken')
  expect(readState({ ...state, [list]: [{ ...first, [name]: undefined }] })).not.toBe('broken')
})

it.each([['slots'], ['waiters'], ['shared']])('an item in `%s` is an object', (list) => {
  for (const item of ['text', null, 7])
    expect(readState({ ...stored(full()), [list]: [item] })).toBe('broken')
})

it('an empty list may be an empty object, and an empty table an empty list, because Lua has one type for both', () => {
  const state = { ...stored(full()), slots: {}, waiters: {}, shared: {}, tags: [], dueAt: [], apart: [] }
  expect(readState(state)).toMatchObject({
    slots: [],
    waiters: [],
    shared: [],
    tags: {},
    dueAt: {},
    apart: {},
  })
})

it.each([['tags'], ['dueAt'], ['apart']])('`%s` has numbers alone', (table) => {
  for (const value of ['text', null, true, NaN])
    expect(readState({ ...stored(full()), [table]: { one: 1, two: value } })).toBe('broken')
  expect(readState({ ...stored(full()), [table]: 'text' })).toBe('broken')
})

it('a number that a store with 14 digits would not keep is none', () => {
  const read = (frozenUntil: number): unknown => readState({ ...stored(full()), frozenUntil })
  for (const value of [1e14, -1e14]) expect(read(value)).toBe('broken')
  for (const value of [1e14 - 1, 1 - 1e14]) expect(read(value)).toMatchObject({ frozenUntil: value })
})
