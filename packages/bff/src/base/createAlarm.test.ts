import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it, vi } from 'vitest'
import { createAlarm } from './createAlarm.js'

it('is set once, does its work once, and can be stopped', async () => {
  const clock = virtualClock()
  const work = vi.fn()
  const alarm = createAlarm(clock, 1_000, work)
  alarm.set()
  await clock.advance(600)
  alarm.set()
  await clock.advance(500)
  expect(work).toHaveBeenCalledTimes(1)
  await clock.advance(5_000)
  expect(work).toHaveBeenCalledTimes(1)
  alarm.set()
  alarm.stop()
  await clock.advance(5_000)
  expect([work.mock.calls.length, clock.timers]).toEqual([1, 0])
})

it('does overdue work at the next set, if its timer has ended with a request', async () => {
  const clock = virtualClock()
  const work = vi.fn()
  const alarm = createAlarm({ ...clock, after: () => () => {} }, 1_000, work)
  alarm.set()
  await clock.advance(1_900)
  alarm.set()
  expect(work).not.toHaveBeenCalled()
  await clock.advance(200)
  alarm.set()
  expect(work).toHaveBeenCalledTimes(1)
})
