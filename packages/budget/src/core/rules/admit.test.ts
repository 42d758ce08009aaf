import { describe, expect, it } from 'vitest'
import type { BudgetReply } from '../protocol.js'
import { KEPT_OF_CALL } from './admit.js'
import { ask, createLedger, rules } from './ledger.test.kit.js'

const FREEZE_MS = 5_000

/** A ledger that grants nothing for five seconds. Ten may wait, three of one user. */
function frozen(more: Partial<typeof rules> = {}) {
  const ledger = createLedger({ ...rules, maxWaitingPerUser: 3, ...more })
  ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: FREEZE_MS }, 0)
  const askFor = (
    ids: readonly string[],
    user: (id: string) => string = (id) => id,
    call?: string,
  ): BudgetReply => ledger.call(undefined, 10, { actions: ids.map((id) => ask(id, user(id), { call })) })
  const waiting = (): string[] => ledger.state().waiters.map(({ id }) => id)
  return { ...ledger, askFor, waiting }
}

const names = (count: number, letter = 'w'): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`)

describe('the queue', () => {
  it('has its length: what is new and beyond it is refused, with the wait that it would have had', () => {
    const ledger = frozen()
    expect(ledger.askFor(names(10)).refused).toEqual([])
    const { refused, waitingTotal } = ledger.askFor(['x', 'y'])
    // Of 23 slots after a 429, the eleventh.
    const retryAfterMs = Math.ceil(FREEZE_MS + (10 * 5_000) / 23) - 10
    expect(refused).toEqual([
      { id: 'x', reason: 'queue-full', retryAfterMs },
      { id: 'y', reason: 'queue-full', retryAfterMs },
    ])
    expect(waitingTotal).toBe(10)
    expect(ledger.waiting()).toEqual(names(10))
  })

  it('keeps a place for a user that is served sooner: the last of all loses its place, and is not refused here', () => {
    const ledger = frozen({ maxWaitingPerUser: 20 })
    ledger.askFor(names(10), () => 'ada')
    const { refused, waiting } = ledger.askFor(['x'], () => 'bob')
    expect(refused).toEqual([])
    expect(ledger.waiting()).toEqual([...names(9), 'x'])
    expect(waiting.map(([id]) => id)).toEqual([...names(9), 'x'])
  })

  it('is left as it is by a call that brings nothing new', () => {
    const ledger = frozen()
    ledger.askFor(names(10))
    ledger.state().waiters.push({ ...ledger.state().waiters[0]!, id: 'late', user: 'late' })
    expect(ledger.call(undefined, 20).waitingTotal).toBe(11)
  })

  it('refuses what cannot get a slot in time, and keeps what just can', () => {
    const ledger = frozen()
    const reply = ledger.call(undefined, 10, {
      actions: [ask('a', 'ada', { withinMs: 4_989 }), ask('b', 'bob', { withinMs: 4_990 })],
    })
    expect(reply.refused).toEqual([{ id: 'a', reason: 'too-late', retryAfterMs: 4_990 }])
    expect(reply.waiting).toEqual([['b', 4_990]])
  })

  it('does not refuse for its time what it has taken before', () => {
    const ledger = frozen()
    ledger.call(ask('a', 'ada', { withinMs: 4_995, call: 'list' }), 10)
    ledger.call({ type: 'limited', id: '', jitter: 0, retryAfterMs: 9_000 }, 20)
    const reply = ledger.call(ask('b', 'bob', { call: 'list', withinMs: 100 }), 30)
    expect(reply.refused).toEqual([{ id: 'b', reason: 'too-late', retryAfterMs: 8_990 }])
    expect(ledger.waiting()).toEqual(['a'])
  })

  it('drops what instances that are gone have left, if it is much too long', () => {
    const most = 2 * rules.maxWaiting * KEPT_OF_CALL
    for (const [count, left] of [
      [most - 1, most - 1],
      [most, 0],
    ] as const) {
      const ledger = frozen()
      ledger.askFor(['x'])
      const [x] = ledger.state().waiters
      for (const id of names(count, 'gone')) ledger.state().waiters.push({ ...x!, id, instance: 'gone' })
      ledger.call({ type: 'leave', id: 'x' }, 300)
      ledger.call(ask('y', 'bob'), 400)
      expect(ledger.waiting().filter((id) => id.startsWith('gone'))).toHaveLength(left)
      expect(ledger.waiting()).toContain('y')
    }
  })
})

describe('one user', () => {
  it('may wait for three calls; those that came first are kept', () => {
    const ledger = frozen()
    const { refused } = ledger.askFor(names(5), () => 'ada')
    expect(refused).toMatchObject([
      { id: 'w3', reason: 'user-queue-full' },
      { id: 'w4', reason: 'user-queue-full' },
    ])
    expect(ledger.waiting()).toEqual(names(3))
    expect(ledger.askFor(['x'], () => 'ada').refused).toMatchObject([{ id: 'x', reason: 'user-queue-full' }])
    expect(ledger.askFor(['y'], () => 'bob').refused).toEqual([])
  })

  it('waits once for a call, however many of its requests want it', () => {
    const ledger = frozen()
    ledger.askFor(['a', 'b'], () => 'ada', 'list')
    expect(ledger.askFor(['c', 'd', 'e'], () => 'ada').refused).toMatchObject([
      { id: 'e', reason: 'user-queue-full' },
    ])
    expect(ledger.askFor(['f'], () => 'ada', 'list').refused).toEqual([])
  })

  it('is not refused for what it left behind with an instance that is gone', () => {
    const ledger = frozen()
    ledger.askFor(names(3), () => 'ada')
    expect(ledger.call(ask('x', 'ada'), 3_000, { instance: 'two' }).refused).toEqual([])
  })

  it('is told so, also if the queue is full', () => {
    const ledger = frozen()
    ledger.askFor(names(3), () => 'ada')
    ledger.askFor(names(7, 'b'))
    expect(ledger.askFor(['x'], () => 'ada').refused).toMatchObject([{ reason: 'user-queue-full' }])
  })

  it('is not taken for another one because their names and calls run together', () => {
    const ledger = frozen({ maxWaitingPerUser: 1 })
    ledger.call(ask('a', 'ada', { call: 'b c' }), 10)
    ledger.call(ask('b', 'ada b', { call: 'd' }), 10)
    expect(ledger.call(ask('c', 'ada b', { call: 'c' }), 10).refused).toMatchObject([
      { id: 'c', reason: 'user-queue-full' },
    ])
  })
})

describe('many requests of one call', () => {
  it('have one place, and four of them hold it: of different users first; the others are covered', () => {
    const ledger = frozen()
    const user = (id: string): string => (id < 'w3' ? 'ada' : id)
    const reply = ledger.askFor(names(7), user, 'list')
    expect(reply.waitingTotal).toBe(1)
    expect(ledger.waiting()).toEqual(['w0', 'w3', 'w4', 'w5'])
    expect(reply.covered.map(([id]) => id).toSorted()).toEqual(['w1', 'w2', 'w6'])
    expect(reply.refused).toEqual([])
  })

  it('are four also of fewer users, and the rest says where its user stands', () => {
    const ledger = frozen()
    ledger.state().virtual = 700
    const reply = ledger.askFor(names(5), () => 'ada', 'list')
    expect(ledger.waiting()).toEqual(names(4))
    expect(reply.covered).toEqual([['w4', 700]])
    expect(frozen().askFor(names(4), () => 'ada', 'list').covered).toEqual([])
  })

  it('of another instance are covered without a word to this one', () => {
    const ledger = frozen({ maxWaitingPerUser: 20 })
    ledger.state().virtual = 5_000
    ledger.askFor(names(4), (id) => `z${id}`, 'list')
    ledger.state().tags.early = 0
    const reply = ledger.call(ask('two:1', 'early', { call: 'list' }), 20, { instance: 'two' })
    expect(reply.covered).toEqual([])
    expect(ledger.waiting()).toEqual(['w0', 'w1', 'w2', 'two:1'])
  })

  it('lose their place together if the queue is full', () => {
    const ledger = frozen()
    ledger.askFor(names(10))
    const { refused } = ledger.askFor(['x', 'y'], (id) => id, 'list')
    expect(refused.map(({ id, reason }) => [id, reason])).toEqual([
      ['x', 'queue-full'],
      ['y', 'queue-full'],
    ])
    expect(ledger.waiting()).toEqual(names(10))
  })

  it('keep their place if the one that had it is refused', () => {
    const ledger = frozen()
    const reply = ledger.call(undefined, 10, {
      actions: [ask('a', 'ada', { call: 'list', withinMs: 100 }), ask('b', 'bob', { call: 'list' })],
    })
    expect(reply).toMatchObject({ refused: [{ id: 'a' }], waiting: [['b', 4_990]], waitingTotal: 1 })
  })
})
