import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { createMemoryStore } from './createMemoryStore.js'
import { ask, rules } from './ledger.test.kit.js'

it('keeps the state from call to call, by its own clock, and is never lost', async () => {
  const clock = virtualClock()
  const store = createMemoryStore(rules, clock, 'here')
  const first = await store.call([ask('here:1', 'ada')])
  expect(first).toMatchObject({ epoch: 'here', calls: 1, granted: ['here:1'], notices: [] })
  await clock.advance(700)
  const second = await store.call([{ type: 'release', id: 'here:1', outcome: 'answered' }])
  expect(second).toMatchObject({ at: first.at + 700, calls: 2, frees: [5_010], notices: [] })
  expect(store.degraded()).toBeUndefined()
})
