import { startRedis } from '@stagepass/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { SEED_FACTOR, seededRandom } from '../seededRandom.test.kit.js'
import { applyTurnsCall, type Call, newState, type Reply, type State } from './applyTurnsCall.js'
import { STORE_CLOCK } from '../redis/createStore.js'
import { TURNS } from './turnsScript.js'

const server = await startRedis()
const client = await server.connect()
afterAll(() => server.close())

const script = `local now = tonumber(ARGV[2])\n${TURNS.script.slice(STORE_CLOCK.length)}`
const KEYS = ['{a}state', '{a}slots']
const NOW = 1_700_000_000_000

async function runScript(call: Call, now: number): Promise<Reply> {
  const options = { keys: KEYS, arguments: [JSON.stringify(call), String(now)] }
  return TURNS.readReply(await client.eval(script, options))
}

const CALL: Call = {
  limit: 25,
  windowMs: 5_000,
  heldMs: 16_500,
  gapMs: 200,
  burst: 10,
  aheadMs: 4_500,
  instance: 'one',
  leaves: false,
  born: 0,
  at: 0,
  sentAt: 0,
  peers: 0,
  freeInMs: {},
  limited: [],
  wanted: 0,
  id: 'x',
}
const limited = { retryAfterMs: -1, sentAgoMs: 10, agoMs: 0, jitter: 0 }
const slotsFreeIn = (count: number, ms: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`t${index}`, ms + index]))
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0)

/** The ages of a 429 that came `latencyMs` after its request. */
const agesOf = (latencyMs: number, agoMs: number) => ({ sentAgoMs: agoMs + latencyMs, agoMs })

/** The turns in a reply. */
const turnsOf = ({ waitMs, opensInMs }: Reply) => (waitMs > 0 ? { waitMs } : opensInMs)
const frozenOf = ({ frozenMs }: Reply) => frozenMs
const usedOf = ({ used }: Reply) => used
const instancesOf = ({ instances }: Reply) => instances
const limitedOf = ({ frozenMs, streak, foreignUse }: Reply) => ({ frozenMs, streak, foreignUse })

type Step = readonly [
  afterMs: number,
  call: Partial<Call>,
  read?: (reply: Reply) => unknown,
  expected?: unknown,
]

/**
 * Each step: the time since the last step, the call, and the expected reply. `born: NOW`: the caller has seen
 * the state.
 */
const CASES: readonly (readonly [name: string, ...steps: Step[]])[] = [
  ['an idle account gives a burst at once', [0, { wanted: 30 }, turnsOf, zeros(10)]],
  ['one turn of several may open later', [0, { wanted: 10 }], [0, { wanted: 5, id: 'y' }, turnsOf, [313]]],
  [
    'after a burst the remaining slots are spread over the time until the first is free again',
    [0, { wanted: 10 }],
    [20, { freeInMs: Object.fromEntries(zeros(10).map((_, n) => [`x${n + 1}`, 5_010])) }],
    [0, { wanted: 1, id: 'a' }, turnsOf, [293]],
    [293, { wanted: 1, id: 'b' }, turnsOf, [315]],
  ],
  [
    'there is a gap between turns while few slots are left',
    [0, { freeInMs: slotsFreeIn(20, 700) }],
    [0, { wanted: 1 }, turnsOf, [0]],
    [0, { wanted: 1, id: 'y' }, turnsOf, [200]],
  ],
  [
    'a turn opens when a slot is free',
    [0, { freeInMs: slotsFreeIn(25, 700) }],
    [0, { wanted: 2 }, turnsOf, [700]],
    [0, { wanted: 1, id: 'y' }, turnsOf, [900]],
  ],
  [
    'a turn too far ahead is not promised',
    [0, { freeInMs: slotsFreeIn(25, 4_550) }],
    [0, { wanted: 1 }, turnsOf, { waitMs: 50 }],
    [0, { wanted: 1 }, usedOf, 25],
  ],
  [
    'the caller soon asks again for a turn that is much too far ahead',
    [0, { freeInMs: slotsFreeIn(25, 16_000) }],
    [0, { wanted: 1 }, turnsOf, { waitMs: 100 }],
  ],
  [
    'a slot that was not used is free at once',
    [0, { freeInMs: slotsFreeIn(25, 5_000) }],
    [10, { freeInMs: { t3: 0 } }, usedOf, 24],
    [0, { wanted: 1 }, turnsOf, [0]],
  ],
  [
    'a slot that is not released is free after its timeout',
    [0, { wanted: 10 }],
    [16_499, {}, usedOf, 10],
    [1, {}, usedOf, 0],
  ],
  [
    'a call that arrives twice takes its slots once',
    [0, { wanted: 3 }, usedOf, 3],
    [0, { wanted: 3 }, usedOf, 3],
  ],
  [
    'a 429 freezes for a second, then two, four and five',
    [0, { limited: [limited] }, limitedOf, { frozenMs: 1_000, streak: 1, foreignUse: 1 }],
    [2_000, { limited: [limited] }, limitedOf, { frozenMs: 2_000, streak: 2, foreignUse: 2 }],
    [3_000, { limited: [limited] }, frozenOf, 4_000],
    [5_000, { limited: [limited] }, frozenOf, 5_000],
  ],
  [
    'a jitter lengthens a pause by up to a quarter',
    [0, { limited: [{ ...limited, jitter: 1 }] }, frozenOf, 1_250],
  ],
  [
    'a Retry-After is obeyed, up to a minute',
    [0, { limited: [{ ...limited, retryAfterMs: 3_000 }] }, frozenOf, 3_000],
    [0, { limited: [{ ...limited, retryAfterMs: 900_000 }] }, frozenOf, 60_000],
  ],
  [
    'a 429 that is reported late stops the account for the rest of its pause only',
    [0, { limited: [{ ...limited, retryAfterMs: 20_000, ...agesOf(10, 15_000) }] }, frozenOf, 5_000],
    [5_000, { limited: [{ ...limited, retryAfterMs: 20_000, ...agesOf(10, 20_000) }] }, frozenOf, 0],
    [
      60_000,
      { limited: [{ ...limited, ...agesOf(10, 800) }] },
      limitedOf,
      { frozenMs: 200, streak: 1, foreignUse: 2 },
    ],
  ],
  [
    'a 429 that is reported late takes slots for the rest of half a minute only',
    [0, { limited: [{ ...limited, ...agesOf(10, 29_000) }], freeInMs: slotsFreeIn(23, 15_000) }],
    [0, { wanted: 1 }, turnsOf, { waitMs: 100 }],
    [1_000, { wanted: 1, id: 'y' }, turnsOf, [0]],
  ],
  [
    'a 429 from before the last pause is not counted again, however late it is reported',
    [0, { limited: [limited] }],
    [
      9_000,
      { limited: [{ ...limited, ...agesOf(10, 9_500) }] },
      limitedOf,
      { frozenMs: 0, streak: 1, foreignUse: 1 },
    ],
  ],
  [
    'two 429s of one moment count as one',
    [0, { limited: [limited, limited] }, limitedOf, { frozenMs: 1_000, streak: 1, foreignUse: 1 }],
  ],
  [
    'a 429 to a request from before the last one is not counted again',
    [0, { limited: [limited] }],
    [
      1_500,
      { limited: [{ ...limited, sentAgoMs: 1_600 }] },
      limitedOf,
      { frozenMs: 0, streak: 1, foreignUse: 1 },
    ],
  ],
  [
    'after a 429 there is no burst, and two slots fewer for half a minute',
    [0, { limited: [limited], freeInMs: slotsFreeIn(23, 60_000) }],
    [1_000, { freeInMs: slotsFreeIn(22, 15_000), wanted: 5 }, turnsOf, [0]],
    [1_000, { wanted: 1, id: 'y' }, turnsOf, { waitMs: 100 }],
    [28_100, { freeInMs: slotsFreeIn(23, 9_000), wanted: 1, id: 'z' }, turnsOf, [0]],
  ],
  [
    'however many 429s come, a fifth of the slots stays',
    ...Array.from({ length: 12 }, (): Step => [5_000, { limited: [limited] }]),
    [5_000, { freeInMs: slotsFreeIn(4, 4_000), wanted: 1 }, turnsOf, [0]],
    [0, { wanted: 1, id: 'y' }, turnsOf, [4_000]],
  ],
  [
    'a 429 at the end of a pause is a new one, and in a row within half a minute',
    [0, { limited: [limited] }],
    [1_000, { limited: [limited] }, limitedOf, { frozenMs: 2_000, streak: 2, foreignUse: 2 }],
    [29_999, { limited: [limited] }, limitedOf, { frozenMs: 4_000, streak: 3, foreignUse: 3 }],
    [30_000, { limited: [limited] }, limitedOf, { frozenMs: 1_000, streak: 1, foreignUse: 4 }],
  ],
  ['no turn opens in a freeze', [0, { limited: [limited] }], [400, { wanted: 3 }, turnsOf, [600]]],
  [
    'in a long freeze no caller asks before its end',
    [0, { limited: [{ ...limited, retryAfterMs: 20_000 }] }],
    [0, { wanted: 1 }, turnsOf, { waitMs: 15_500 }],
  ],
  [
    'instances are counted for a minute, and until they leave',
    [0, {}, instancesOf, 1],
    [0, { instance: 'two' }, instancesOf, 2],
    [59_000, {}, instancesOf, 2],
    [2_000, {}, instancesOf, 1],
    [0, { leaves: true }, instancesOf, 0],
  ],
  [
    'an instance is counted until a minute after its last call',
    [0, {}],
    [60_000, { instance: 'two' }, instancesOf, 2],
    [1, { instance: 'two' }, instancesOf, 1],
  ],
  [
    'a slot is kept up to the longest time that these rules give one, and is not kept beyond',
    [0, { freeInMs: { a: 22_000, b: 22_001 } }, usedOf, 1],
    [22_000, {}, usedOf, 0],
  ],
  [
    'the shares of silent instances end one window after the outage',
    [0, { freeInMs: slotsFreeIn(8, 20_000), peers: 3 }],
    [4_999, { instance: 'two', freeInMs: slotsFreeIn(9, 20_000), wanted: 1 }, turnsOf, { waitMs: 100 }],
    [1, { instance: 'two', wanted: 1, id: 'y' }, turnsOf, [0]],
  ],
  [
    'for a window after an outage, the shares of instances that have not called yet are kept for them',
    [0, { freeInMs: slotsFreeIn(8, 4_000), peers: 3 }, usedOf, 8],
    // One of three shares of eight is left.
    [0, { wanted: 1 }, turnsOf, [0]],
    [300, { wanted: 1, id: 'y' }, turnsOf, [3_700]],
    [0, { instance: 'two', peers: 3, wanted: 1 }, usedOf, 10],
    [0, { instance: 'two' }, usedOf, 10],
    [0, { instance: 'three', wanted: 1, id: 'a' }, turnsOf, [4_100]],
  ],
  [
    'a late call takes no turns, and its reports count',
    [0, { sentAt: NOW - 751, wanted: 1, freeInMs: slotsFreeIn(3, 500) }, turnsOf, []],
    [0, { sentAt: NOW - 750, wanted: 1 }, usedOf, 4],
  ],
  [
    'a caller that has seen another state: no turn for one window after the creation of the new one',
    [0, {}],
    [1_000, { born: 5, at: 6 }, frozenOf, 4_000],
    [0, { instance: 'new', wanted: 1 }, turnsOf, [4_000]],
  ],
  [
    'an older copy of the state counts as lost',
    [0, {}],
    [1_000, { born: NOW, at: NOW + 500 }, frozenOf, 5_000],
  ],
  [
    'a clock that stepped back: the state counts as lost',
    [0, {}],
    [-1, { born: NOW, at: NOW }, frozenOf, 5_000],
  ],
  [
    'a window of one second',
    [0, { limit: 5, windowMs: 1_000, burst: 5, aheadMs: 900, wanted: 9 }, turnsOf, zeros(5)],
  ],
  ['a limit below the burst', [0, { limit: 3, wanted: 9 }, turnsOf, zeros(3)]],
]

describe.each(CASES.map(([name, ...steps]) => ({ name, steps })))('$name', ({ steps }) => {
  it.each(['in memory', 'in Redis'])('%s', async (place) => {
    await client.del(KEYS)
    const state = newState()
    const replies: unknown[] = []
    let now = NOW
    for (const [afterMs, call, read] of steps) {
      now += afterMs
      const whole = { ...CALL, ...call }
      const reply = place === 'in memory' ? applyTurnsCall(state, whole, now) : await runScript(whole, now)
      replies.push(read?.(reply))
    }
    expect(replies).toEqual(steps.map(([, , , expected]) => expected))
  })
})

/** Redis loses one of its two keys. */
async function loseKey(state: State, key: 'state' | 'slots'): Promise<void> {
  await client.del(`{a}${key}`)
  const { slots, slotsMarked } = state
  if (key === 'state') Object.assign(state, newState(), { slots, slotsMarked })
  else Object.assign(state, { slots: new Map(), slotsMarked: false })
}

describe.each(['state', 'slots'] as const)('S42 the loss of the key %s is a loss of the state', (key) => {
  it.each(['in memory', 'in Redis'])('no turn for one window, for new callers too: %s', async (place) => {
    await client.del(KEYS)
    const state = newState()
    const run = async (call: Partial<Call>, now: number): Promise<Reply> => {
      const whole = { ...CALL, ...call }
      return place === 'in memory' ? applyTurnsCall(state, whole, now) : runScript(whole, now)
    }
    await run({ wanted: 10 }, NOW)
    await loseKey(state, key)
    const { born, used, frozenMs } = await run({ instance: 'new', wanted: 1, id: 'y' }, NOW + 2_000)
    const kept = key === 'state' ? 10 : 0
    expect([born, used, frozenMs]).toEqual([NOW + 2_000, kept, 5_000])
    const next = await run({ instance: 'new', wanted: 1, id: 'z' }, NOW + 2_500)
    expect(next.opensInMs).toHaveLength(1)
    expect((await run({ wanted: 0, id: 'a' }, NOW + 7_000)).frozenMs).toBe(0)
  })
})

it('S42 an old mark is no sign of a loss', async () => {
  await client.del(KEYS)
  await runScript({ ...CALL, wanted: 1 }, NOW)
  const { born, used } = await runScript(CALL, NOW + 60_000)
  expect([born, used]).toEqual([NOW, 0])
})

describe.each([
  ['last', 22_000],
  ['frozenUntil', 61_000],
] as const)('S42 the time %s', (time, longestMs) => {
  it.each([
    ['of these rules is kept', longestMs, NOW],
    ['that is further ahead was not written by these rules', longestMs + 1, NOW + 100],
  ])('%s', async (_what, aheadMs, born) => {
    await client.del(KEYS)
    const state = newState()
    const born0 = applyTurnsCall(state, CALL, NOW).born
    await runScript(CALL, NOW)
    state[time] = NOW + 100 + aheadMs
    await client.hSet('{a}state', time, String(NOW + 100 + aheadMs))
    const reply = applyTurnsCall(state, CALL, NOW + 100)
    expect([born0, reply.born]).toEqual([NOW, born])
    expect(await runScript(CALL, NOW + 100)).toEqual(reply)
  })
})

it('memory and Redis reply the same to random calls', async () => {
  const random = seededRandom(1)
  const below = (max: number): number => Math.floor(random() * max)
  for (let history = 0; history < 60 * SEED_FACTOR; history += 1) {
    await client.del(KEYS)
    const state = newState()
    const limit = 1 + below(30)
    const rules = {
      limit,
      windowMs: 5_000,
      heldMs: 6_000 + below(11_000),
      gapMs: below(300),
      burst: below(12),
      aheadMs: 4_500,
    }
    const names: string[] = []
    let now = NOW
    let last = { born: 0, at: 0 }
    for (let step = 0; step < 60; step += 1) {
      now += below(4) === 0 ? below(3_000) : below(250)
      if (below(100) === 0) now -= below(4_000)
      if (below(200) === 0) now += 3_600_000
      const id = `c${step}.`
      const { born, at } = below(3) === 0 ? { born: 0, at: 0 } : last
      const call: Call = {
        ...rules,
        instance: `i${below(4)}`,
        leaves: below(30) === 0,
        born: below(40) === 0 ? 7 : born,
        at: below(40) === 0 ? at + 10 : at,
        sentAt: below(3) === 0 ? now - below(1_500) : 0,
        peers: below(20) === 0 ? below(6) : 0,
        freeInMs: Object.fromEntries(
          Array.from({ length: below(4) }, () => [
            names[below(names.length)] ?? 'none',
            below(3) === 0 ? 0 : below(7_000),
          ]),
        ),
        limited: Array.from({ length: below(8) === 0 ? 1 + below(2) : 0 }, () => ({
          retryAfterMs: below(2) === 0 ? -1 : below(70_000) * below(2),
          ...agesOf(below(2_000), below(4) === 0 ? below(60_000) : 0),
          jitter: random(),
        })),
        wanted: below(3) === 0 ? below(12) : below(2),
        id,
      }
      const lost = below(50) === 0 ? (['state', 'slots'] as const)[below(2)] : undefined
      if (lost) await loseKey(state, lost)
      const reply = applyTurnsCall(state, call, now)
      expect(await runScript(call, now), `history ${history}, step ${step}`).toEqual(reply)
      for (const index of reply.opensInMs.keys()) names.push(`${id}${index + 1}`)
      last = reply
    }
  }
})

it.each([
  ['text in both', async () => void (await client.mSet({ '{a}state': 'x', '{a}slots': 'y' }))],
  [
    'the types exchanged',
    async () => {
      await client.zAdd('{a}state', { value: 'a', score: 1 })
      await client.hSet('{a}slots', 'a', '1')
    },
  ],
  [
    'no numbers',
    async () =>
      void (await client.hSet('{a}state', {
        born: 'nan',
        at: 'x',
        last: 'inf',
        frozenUntil: '-1',
        '@i': 'z',
      })),
  ],
  [
    'numbers of another time',
    async () => {
      await client.hSet('{a}state', { born: '5', at: '7', last: '9e14', frozenUntil: '9e14' })
      await client.zAdd('{a}slots', { value: 'a', score: 1e300 })
    },
  ],
])('S42 takes %s for a lost state, and goes on after a window', async (_name, harm) => {
  await client.del(KEYS)
  await harm()
  const seen = { ...CALL, limit: 1, burst: 0, wanted: 1, born: 5, at: 6 }
  const { born, at, used, frozenMs, waitMs } = await runScript(seen, NOW)
  // It asks again at once, with the slots that it has.
  expect([born, at, used, frozenMs, waitMs]).toEqual([NOW, NOW, 0, 5_000, 0])
  expect(await runScript({ ...seen, born: NOW, at: NOW }, NOW + 500)).toMatchObject({
    waitMs: 0,
    opensInMs: [4_500],
  })
})
