import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { createBreaker } from './createBreaker.js'

/** A breaker around a call that fails until it is repaired. */
function start() {
  const clock = virtualClock()
  const breaker = createBreaker(clock, 50)
  const state = { calls: 0, broken: true }
  const call = () => {
    state.calls += 1
    return state.broken ? Promise.reject(new Error('broken')) : Promise.resolve('fine')
  }
  return { clock, state, ask: () => breaker(call).catch(({ message }: Error) => message), breaker }
}

it('passes results and errors on', async () => {
  const { state, ask } = start()
  state.broken = false
  expect([await ask(), await ask()]).toEqual(['fine', 'fine'])
  state.broken = true
  expect(await ask()).toBe('broken')
})

it('rejects at once after a failure, and calls once a second in the background', async () => {
  const { clock, state, ask } = start()
  expect(await ask()).toBe('broken')
  clock.jump(999)
  expect([await ask(), state.calls]).toEqual(['It failed a moment ago.', 1])
  clock.jump(1)
  expect([await ask(), state.calls]).toEqual(['It failed a moment ago.', 2])
  expect([await ask(), state.calls]).toEqual(['It failed a moment ago.', 2])
  clock.jump(999)
  expect([await ask(), state.calls]).toEqual(['It failed a moment ago.', 2])
  state.broken = false
  clock.jump(1)
  expect([await ask(), state.calls]).toEqual(['It failed a moment ago.', 3])
  expect([await ask(), state.calls]).toEqual(['fine', 4])
})

it('rejects a call that takes too long, and counts it as a failure', async () => {
  const { clock, breaker, ask } = start()
  const slow = breaker(() => new Promise(() => undefined)).catch(({ message }: Error) => message)
  clock.jump(50)
  expect(await slow).toBe('It took too long.')
  expect(await ask()).toBe('It failed a moment ago.')
})

it('leaves no timer behind', async () => {
  const { clock, state, ask } = start()
  state.broken = false
  const call = ask()
  expect(clock.timers).toBe(1)
  expect(await call).toBe('fine')
  expect(clock.timers).toBe(0)
})

it('S55 an error reply rejects only its own call, because Redis responds', async () => {
  const { clock, state, ask, breaker } = start()
  const replied = () =>
    breaker(() =>
      Promise.reject(new Error('WRONGTYPE Operation against a key holding the wrong kind of value')),
    ).catch(({ message }: Error) => message)
  state.broken = false
  expect(await replied()).toMatch(/^WRONGTYPE /)
  expect(await ask()).toBe('fine')
  state.broken = true
  expect(await ask()).toBe('broken')
  clock.jump(1_000)
  expect(await replied()).toBe('It failed a moment ago.')
  state.broken = false
  expect(await ask()).toBe('fine')
})
