import { expect, it } from 'vitest'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { createPageStore } from './createPageStore.js'

it('serves a page fresh, then stale, then no more', async () => {
  const clock = virtualClock()
  const store = createPageStore({ freshMs: 3_000, clock })
  store.set('page', 'text', 0)
  expect(store.get('page')).toEqual({ value: 'text', stale: false })
  await clock.advance(3_000)
  expect(store.get('page')).toEqual({ value: 'text', stale: true })
  await clock.advance(3_000)
  expect(store.get('page')).toBeUndefined()
})

it('a page that another instance had for a while is as old here', async () => {
  const clock = virtualClock()
  const store = createPageStore({ freshMs: 3_000, clock })
  store.set('page', 'text', 2_000)
  await clock.advance(999)
  expect(store.get('page')).toEqual({ value: 'text', stale: false })
  await clock.advance(1)
  expect(store.get('page')).toEqual({ value: 'text', stale: true })
  await clock.advance(3_000)
  expect(store.get('page')).toBeUndefined()
})

it('S27 holds no more pages and no more text than it may: the oldest go', () => {
  const store = createPageStore({ freshMs: 3_000, clock: virtualClock(), maxPages: 3, maxLength: 10 })
  for (const key of ['a', 'b', 'c', 'd']) store.set(key, 'xx', 0)
  expect(['a', 'b', 'c', 'd'].map((key) => store.get(key)?.value)).toEqual([undefined, 'xx', 'xx', 'xx'])
  store.set('e', 'yyyyyyyy', 0)
  expect(['b', 'c', 'd', 'e'].map((key) => store.get(key)?.value)).toEqual([
    undefined,
    undefined,
    'xx',
    'yyyyyyyy',
  ])
  store.set('too long', 'z'.repeat(11), 0)
  expect(store.get('too long')).toBeUndefined()
})

it('S27 100,000 pages take the room of a thousand', () => {
  const store = createPageStore({ freshMs: 3_000, clock: virtualClock() })
  for (let index = 0; index < 100_000; index += 1) store.set(`page ${index}`, 'text', 0)
  let held = 0
  for (let index = 0; index < 100_000; index += 1) if (store.get(`page ${index}`)) held += 1
  expect(held).toBe(1_000)
})

it('lets go of pages that nobody asks for any more', async () => {
  const clock = virtualClock()
  const store = createPageStore({
    freshMs: 3_000,
    clock: {
      now: () => clock.now(),
      after(delayMs, task, keepAlive) {
        expect(keepAlive).toBe(false)
        return clock.after(delayMs, task)
      },
    },
  })
  store.set('page', 'text', 0)
  await clock.advance(4_000)
  store.set('later', 'text', 0)
  expect(clock.timers).toBe(1)
  await clock.advance(2_000)
  expect(clock.timers).toBe(1)
  await clock.advance(6_000)
  expect(clock.timers).toBe(0)
})

it('keeps none without a time, or after it was emptied', () => {
  const clock = virtualClock()
  const none = createPageStore({ freshMs: 0, clock })
  none.set('page', 'text', 0)
  expect(none.get('page')).toBeUndefined()
  const store = createPageStore({ freshMs: 3_000, clock })
  store.clear()
  store.set('page', 'text', 0)
  store.clear()
  expect(store.get('page')).toBeUndefined()
  expect(clock.timers).toBe(0)
})
