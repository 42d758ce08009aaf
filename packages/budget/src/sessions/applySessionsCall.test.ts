import { startRedis } from '@stagepass/testing'
import { afterAll, expect, it } from 'vitest'
import { STORE_CLOCK } from '../redis/createStore.js'
import { SEED_FACTOR, seededRandom } from '../seededRandom.test.kit.js'
import { applySessionsCall, type Call, newState, type Reply } from './applySessionsCall.js'
import { SESSIONS } from './sessionsScript.js'

const server = await startRedis()
const client = await server.connect()
afterAll(() => server.close())

const script = `local now = tonumber(ARGV[2])\n${SESSIONS.script.slice(STORE_CLOCK.length)}`
const NOW = 1_700_000_000_000

const runScript = async (key: string, call: Call, now: number): Promise<Reply> =>
  SESSIONS.readReply(
    await client.eval(script, { keys: [key], arguments: [JSON.stringify(call), String(now)] }),
  )

const sorted = (reply: Reply): Reply => ({
  ...reply,
  list: reply.list.toSorted((one, other) => (one.id < other.id ? -1 : 1)),
})

const ACTIONS = ['ask', 'ask', 'ask', 'renew', 'renew', 'renew', 'release', 'refused', 'end', 'look'] as const
const STEPS = [0, 1, 200, 1_000, 3_000, 3_000, 9_000, 30_000]

it.each(Array.from({ length: 12 * SEED_FACTOR }, (_, seed) => seed))(
  'Redis and the process apply the same rules: seed %i',
  async (seed) => {
    const random = seededRandom(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const state = newState()
    const key = `{a}seed-${seed}`
    const max = pick([0, 0, 3, 6])
    const rules = { max, reserve: max > 0 ? pick([0, 1]) : 0, perUser: pick([1, 2, 100]) }
    const seen = new Set<string>()
    let now = NOW
    let born = 0
    for (let step = 0; step < 400; step += 1) {
      // A clock that steps back loses the state.
      now += random() < 0.002 ? -20_000 : pick(STEPS)
      const number = Math.floor(random() * 14)
      // Few calls end sessions: otherwise there would be none.
      const chosen = pick(ACTIONS)
      const action = chosen === 'end' && random() < 0.8 ? 'look' : chosen
      const call: Call = {
        ...rules,
        instance: pick(['one', 'two']),
        leaves: random() < 0.01,
        born: pick([born, born, 0, 7]),
        returns: random() < 0.05,
        action,
        id: action === 'end' ? pick(['', `id-${number}`]) : `id-${number}`,
        user: random() < 0.02 ? 'other' : `user-${number % 4}`,
        weight: 1 + (number % 3),
        holds: pick(['opening', 'open', 'open', 'parked']),
        isHidden: random() < 0.2,
        note: `note "${number}" é`,
        forMs: pick([0, 5_000, 60_000]),
        lists: random() < 0.1,
      }
      const expected = applySessionsCall(state, call, now)
      const found = await runScript(key, call, now)
      expect(sorted(found), `step ${step}: ${JSON.stringify(call)}`).toEqual(sorted(expected))
      seen.add(expected.status)
      born = expected.born
    }
    expect(seen.size).toBeGreaterThan(4)
  },
)

it('repairs a key that other code has written to', async () => {
  const call = { ...LOOK, action: 'ask', id: 'a', user: 'ada' } as const
  await client.set('{a}foreign', 'text')
  expect(await runScript('{a}foreign', call, NOW)).toMatchObject({ status: 'leased' })
  await client.hSet('{a}foreign', { ':broken': 'no list', '#number': 'x', '#born': '1' })
  expect(await runScript('{a}foreign', call, NOW)).toMatchObject({ status: 'leased', leased: 1 })
  expect(await client.hGet('{a}foreign', ':broken')).toBeNull()
})

const LOOK: Call = {
  max: 0,
  reserve: 0,
  perUser: 100,
  instance: 'one',
  leaves: false,
  born: 0,
  returns: false,
  action: 'look',
  id: '',
  user: '',
  weight: 1,
  holds: 'open',
  isHidden: false,
  note: '',
  forMs: 0,
  lists: false,
}
