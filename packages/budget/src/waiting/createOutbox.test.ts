import { expect, it } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'
import type { BudgetAction } from '../core/protocol.js'
import { createOutbox } from './createOutbox.js'

const ask = (id: string): BudgetAction => ({
  type: 'ask',
  id,
  user: 'ada',
  cost: 1_000,
  background: false,
  withinMs: 1_000,
})

/** What each call carried, in words, and a way to answer the oldest one. */
function setUp() {
  const clock = virtualClock()
  const calls: string[] = []
  const answers: (() => void)[] = []
  const outbox = createOutbox(clock, (actions) => {
    calls.push(actions.map((action) => ('id' in action ? action.id : action.type)).join(' '))
    return new Promise((resolve) => answers.push(resolve))
  })
  const answer = async (): Promise<void> => {
    answers.shift()?.()
    await clock.settle()
  }
  return { clock, calls, outbox, answer }
}

it('sends what one task adds in one call, in order', async () => {
  const { clock, calls, outbox } = setUp()
  outbox.add(ask('a'))
  outbox.add({ type: 'release', id: 'b', outcome: 'answered' })
  outbox.add({ type: 'leave', id: 'c' })
  expect(calls).toEqual([])
  await clock.settle()
  expect(calls).toEqual(['a b c'])
})

it('keeps what is added during a call until its reply', async () => {
  const { clock, calls, outbox, answer } = setUp()
  outbox.add(ask('a'))
  await clock.settle()
  outbox.add(ask('b'))
  await clock.advance(5)
  outbox.add(ask('c'))
  await clock.settle()
  expect(calls).toEqual(['a'])
  await answer()
  expect(calls).toEqual(['a', 'b c'])
  // The timer has gone with the reply.
  await clock.advance(20)
  expect(calls).toHaveLength(2)
})

it('waits no longer than 10 ms for a reply', async () => {
  const { clock, calls, outbox } = setUp()
  outbox.add(ask('a'))
  await clock.settle()
  outbox.add(ask('b'))
  await clock.advance(9)
  outbox.add(ask('c'))
  expect(calls).toEqual(['a'])
  await clock.advance(1)
  expect(calls).toEqual(['a', 'b c'])
})

it('asks for 64 requests in a call at most, and for the rest after its reply', async () => {
  const { clock, calls, outbox, answer } = setUp()
  for (let request = 0; request < 150; request += 1) outbox.add(ask(`r${request}`))
  await clock.settle()
  await answer()
  await answer()
  expect(calls.map((call) => call.split(' ').length)).toEqual([64, 64, 22])
  expect(calls.join(' ')).toBe(Array.from({ length: 150 }, (_, request) => `r${request}`).join(' '))
})

it.each<BudgetAction>([{ type: 'limited', id: 'x', jitter: 0 }, { type: 'bye' }])(
  'waits for no reply with $type, nor with what was added before',
  async (action) => {
    const { clock, calls, outbox } = setUp()
    outbox.add(ask('a'))
    await clock.settle()
    for (let request = 0; request < 70; request += 1) outbox.add(ask(`r${request}`))
    outbox.add(action)
    expect(calls).toHaveLength(3)
    expect(calls[2]?.split(' ')).toHaveLength(7)
  },
)

it('does not send a request that was withdrawn', async () => {
  const { clock, calls, outbox } = setUp()
  outbox.add(ask('a'))
  outbox.add(ask('b'))
  outbox.withdraw('a')
  await clock.settle()
  expect(calls).toEqual(['b'])
})
