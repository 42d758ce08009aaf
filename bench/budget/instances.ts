import { createBudget } from '@stagepass/budget'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { applyCall, type Call, newState } from '../../packages/budget/src/turns/applyCall.js'

/*
 * One account and many instances in virtual time: the work of an instance and of Redis, without real
 * machines. Each instance has users that send two requests in 20 s, and a greedy user uses all instances.
 *
 * `npm run budget-instances -w @stagepass/bench`; `-- --most 256` for a shorter run.
 */

const index = process.argv.indexOf('--most')
const most = index < 0 ? 1_000 : Number(process.argv[index + 1])
const SECONDS = 20
const REDIS_LATENCY_MS = 1

console.log('instances   used   p95 of the served   calls/s   results')
for (const instances of [1, 10, 100, 1_000].filter((count) => count <= most)) {
  const clock = virtualClock(0)
  const state = newState()
  let calls = 0
  const redis = async (_script: string, _keys: readonly string[], [json = '']: readonly string[]) => {
    await new Promise<void>((resolve) => clock.after(REDIS_LATENCY_MS, resolve))
    calls += 1
    return applyCall(state, JSON.parse(json) as Call, Math.floor(clock.now()) + 1e12)
  }
  const budgets = Array.from({ length: instances }, () =>
    createBudget({ limit: 25, windowMs: 5_000, redis, clock }),
  )
  const waits: number[] = []
  const results: Record<string, number> = {}
  const ask = async (budget: (typeof budgets)[number], user: string): Promise<void> => {
    const since = clock.now()
    let result = 'served'
    try {
      const slot = await budget.acquire({ user, deadlineMs: 10_000, signal: new AbortController().signal })
      waits.push(clock.now() - since)
      clock.after(50, () => slot.release('answered'))
    } catch (error) {
      result = (error as { reason: string }).reason
    }
    results[result] = (results[result] ?? 0) + 1
  }
  for (const [name, budget] of budgets.entries()) {
    for (let turn = 0; turn < 2; turn += 1) {
      clock.at(Math.random() * SECONDS * 1_000, () => void ask(budget, `user ${name}`))
      clock.at(Math.random() * SECONDS * 1_000, () => void ask(budget, 'greedy'))
    }
  }
  await clock.advance(2_000)
  const before = calls
  for (let second = 2; second < SECONDS; second += 1) await clock.advance(1_000)
  const perSecond = (calls - before) / (SECONDS - 2)
  const p95 = waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.95)] ?? 0
  console.log(
    [
      String(instances).padStart(9),
      `${Math.round((100 * waits.length) / (5 * SECONDS))} %`.padStart(6),
      `${Math.round(p95)} ms`.padStart(19),
      String(Math.round(perSecond)).padStart(9),
      `  ${JSON.stringify(results)}`,
    ].join(' '),
  )
}
