import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import { ACCOUNT } from '../account.test.kit.js'
import { budgetRules } from '../BudgetOptions.js'
import type { BudgetStore } from '../core/BudgetStore.js'
import type { BudgetAction } from '../core/protocol.js'
import { createMemoryStore } from '../core/rules/createMemoryStore.js'
import { createStoreBudget } from './createStoreBudget.js'

it('a reply that is older than a grant, and still has its request in the queue, takes nothing away', async () => {
  const clock = virtualClock(0)
  const rules = { ...budgetRules({ ...ACCOUNT, limit: 5 }), heartbeatMs: Infinity }
  const memory = createMemoryStore(rules, clock, 'memory')
  const actions: (BudgetAction & { id?: string })[] = []
  let arrive: (() => void) | undefined
  let late = false
  const store: BudgetStore = {
    ...memory,
    async call(given) {
      actions.push(...given)
      const reply = await memory.call(given)
      if (late) {
        late = false
        await new Promise<void>((resolve) => (arrive = resolve))
      }
      return reply
    },
  }
  const budget = createStoreBudget({
    store,
    rules,
    clock,
    random: () => 0,
    instance: 'one',
    onEvent: () => {},
  })
  const acquire = (user: string) =>
    budget.acquire({ user, deadlineMs: 60_000, signal: new AbortController().signal })

  for (let count = 0; count < 5; count += 1) void acquire('filler').then((slot) => slot.release('answered'))
  await clock.advance(100)
  late = true
  let granted = 0
  void acquire('ada').then(() => (granted += 1))
  await clock.settle()
  expect(arrive).toBeDefined()
  const asked = actions.at(-1)
  expect(asked?.type).toBe('ask')
  // Its slot comes with the reply to a later call.
  await clock.advance(7_000)
  void acquire('bob').then(() => (granted += 1))
  await clock.advance(1_000)
  expect(granted).toBe(2)

  arrive?.()
  await clock.advance(1_000)
  expect(actions).not.toContainEqual({ type: 'leave', id: asked?.id })
})
