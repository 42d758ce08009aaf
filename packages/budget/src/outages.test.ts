import { expect, it } from 'vitest'
import { setUpInstances } from './instances.test.kit.js'
import { SEED_FACTOR, seededRandom } from './seededRandom.test.kit.js'
import { newState } from './turns/applyTurnsCall.js'

const WINDOW_MS = 5_000
/** A pause without a `Retry-After`, with the longest back-off. */
const BACK_OFF_MS = 6_250
/** Times are rounded up to milliseconds, in calls and in replies. */
const ROUNDED_MS = 5

/**
 * Redis is lost, forgets and returns, instances are cut off, and 429s come, in a random order. Returns what
 * was wrong: a pause that is longer than its cause, a request in a pause that its instance knows, or calls
 * without an end.
 */
async function history(seed: number): Promise<string[]> {
  const random = seededRandom(seed)
  const below = (max: number): number => Math.floor(random() * max)
  const test = setUpInstances()
  const { clock, redis, grants } = test
  const budgets = [test.join({ random }), test.join({ random }), test.join({ random })]
  for (const [index, budget] of budgets.entries()) test.keepAsking(budget, `${index}`)
  const wrongs: string[] = []
  const happened: string[] = []
  let copy = structuredClone(redis.state)
  /** Until this time a pause has a cause. */
  let untilMs = 0
  const pauses: { readonly user: string; readonly from: number; readonly until: number }[] = []

  const events: readonly (readonly [name: string, happen: () => void])[] = [
    ['Redis refuses', () => void (redis.behaves = 'refusing')],
    ['Redis is silent', () => void (redis.behaves = 'silent')],
    ['Redis is back', () => void (redis.behaves = 'well')],
    ['Redis is back', () => void (redis.behaves = 'well')],
    ['Redis is flushed', () => void (redis.state = newState())],
    ['Redis is copied', () => void (copy = structuredClone(redis.state))],
    ['an older copy', () => void (redis.state = structuredClone(copy))],
    ['the first is cut off', () => budgets[0] && test.kill(budgets[0])],
    ['the first is back', () => budgets[0] && test.revive(budgets[0])],
    ['a 429', () => limit(undefined)],
    ['a 429 for some seconds', () => limit(below(8_000))],
    ['a 429 for up to a minute', () => limit(below(90_000))],
  ]
  const limit = (retryAfterMs: number | undefined): void => {
    const index = below(budgets.length)
    const [from, pauseMs] = [clock.now(), Math.min(retryAfterMs ?? BACK_OFF_MS, 60_000)]
    budgets[index]?.rateLimited(retryAfterMs)
    untilMs = Math.max(untilMs, from + pauseMs)
    if (retryAfterMs !== undefined) pauses.push({ user: `${index}`, from, until: from + pauseMs })
  }

  for (let step = 0; step < 30; step += 1) {
    const [name, happen] = events[below(events.length)] ?? ['', () => undefined]
    happened.push(`${name} at ${clock.now()}`)
    happen()
    const calls = redis.calls
    const steps = 1 + below(below(3) === 0 ? 100 : 12)
    for (let tick = 0; tick < steps; tick += 1) {
      await clock.advance(250)
      const { born } = redis.state
      if (born > 0) untilMs = Math.max(untilMs, born - 1_700_000_000_000 + WINDOW_MS)
      for (const [index, budget] of budgets.entries())
        if (clock.now() + budget.gauge().frozenMs > untilMs + ROUNDED_MS && budget.gauge().frozenMs > 0)
          wrongs.push(`${index} stands still at ${clock.now()} for ${budget.gauge().frozenMs}`)
    }
    if (redis.calls - calls > 40 * steps) wrongs.push(`${redis.calls - calls} calls in ${steps} ticks`)
  }
  for (const { user, from, until } of pauses)
    for (const { at } of grants.filter((grant) => grant.user === user && grant.at > from && grant.at < until))
      wrongs.push(`${user} sent at ${at}, in the pause from ${from} to ${until}`)
  return wrongs.length > 0 ? [`seed ${seed}`, ...happened, ...wrongs.slice(0, 5)] : []
}

it.each([0, 1, 2, 3])(
  'S42 no pause outlives its cause, in any order of loss, 429 and return: part %i',
  async (part) => {
    const seeds = 5 * SEED_FACTOR
    for (let seed = part * seeds; seed < (part + 1) * seeds; seed += 1)
      expect(await history(seed)).toEqual([])
  },
)
