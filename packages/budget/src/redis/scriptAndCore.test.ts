import { isDeepStrictEqual } from 'node:util'
import { startRedis } from '@stagepass/testing'
import { createClient } from 'redis'
import { afterAll, expect, it } from 'vitest'
import { ACCOUNT } from '../account.test.kit.js'
import { budgetRules } from '../BudgetOptions.js'
import { applyOp } from '../core/rules/applyOp.js'
import { type BudgetState, createBudgetState } from '../core/rules/BudgetState.js'
import type { BudgetAction, BudgetOp, BudgetReply, BudgetRules, OwnSlot } from '../core/protocol.js'
import { readState } from '../core/rules/readState.js'
import { SEED_FACTOR, seededRandom } from '../seededRandom.test.kit.js'
import { BUDGET_SCRIPT, STORE_CLOCK } from './budgetScript.js'
import { parseReply } from './createRedisStore.js'

const server = await startRedis()
const redis = await createClient({ socket: { path: server.socketPath, tls: false } }).connect()
afterAll(async () => {
  await redis.close()
  await server.close()
})

const script = `local now = tonumber(ARGV[4])\n${BUDGET_SCRIPT.slice(STORE_CLOCK.length)}`
const sha = await redis.scriptLoad(script)
const key = 'stagepass:{test}:budget'

async function runScript(rules: BudgetRules, op: BudgetOp, now: number): Promise<BudgetReply> {
  const args = [JSON.stringify(rules), JSON.stringify(op), '3600000', String(now)]
  return parseReply(await redis.evalSha(sha, { keys: [key], arguments: args }))
}

/** As it would come over the wire. */
const overTheWire = (value: object): unknown => JSON.parse(JSON.stringify(value))

/** Random calls of a few instances: what they ask, give back, report and forget. */
function randomCalls(random: () => number): {
  next(now: number): BudgetOp
  hear(op: BudgetOp, reply: BudgetReply): void
} {
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  const asked: string[] = []
  const held: string[] = []
  const memory = new Map<string, { epoch: string; seen: number }>()
  let count = 0

  const action = (instance: string, index: number, now: number): BudgetAction => {
    const dice = random()
    if (dice < 0.55) {
      // Now and then the same request once more.
      const id = random() < 0.1 ? (pick(asked) ?? 'first') : `${instance}:${count}.${index}`
      asked.push(id)
      const cost = pick([1_000, 1_000, 500, 333, 4_000]) ?? 1_000
      const withinMs = pick([300, 2_000, 10_000]) ?? 10_000
      return {
        type: 'ask',
        id,
        user: `user ${Math.floor(random() * 6)}`,
        ...(random() < 0.5 ? { call: `call ${Math.floor(random() * 4)}` } : {}),
        cost,
        background: random() < 0.15,
        withinMs,
        ...(random() < 0.2
          ? { covered: { at: now - random() * 2_000, start: Math.floor(random() * 20_000) } }
          : {}),
      }
    }
    if (dice < 0.7) return { type: 'leave', id: pick(asked) ?? '' }
    if (dice < 0.95) {
      const id = random() < 0.9 ? (held.shift() ?? '') : (pick(asked) ?? '')
      return {
        type: 'release',
        id,
        outcome: pick(['answered', 'answered', 'unsent', 'aborted'] as const) ?? 'answered',
      }
    }
    if (dice < 0.96) {
      const retryAfterMs = pick([undefined, 0, 700, 90_000])
      return { type: 'limited', id: pick(held) ?? '', retryAfterMs, jitter: random() }
    }
    return dice < 0.98 ? { type: 'leave', id: pick(held) ?? '' } : { type: 'bye' }
  }

  const reported = (instance: string): OwnSlot => {
    const grantedMsAgo = Math.floor(random() * 12_000)
    const known = random() < 0.7 ? held : asked
    const id = pick(known.filter((each) => each.startsWith(`${instance}:`))) ?? `${instance}:${count} own`
    return {
      id,
      user: `user ${Math.floor(random() * 6)}`,
      ...(random() < 0.5 ? { call: `call ${Math.floor(random() * 4)}` } : {}),
      grantedMsAgo,
      doneMsAgo: random() < 0.3 ? -1 : Math.floor(random() * grantedMsAgo),
      freeMs: Math.floor(random() * 10_000),
    }
  }

  return {
    next(now) {
      count += 1
      const instance = `instance ${Math.floor(random() * 3)}`
      const after =
        random() < 0.97 ? 'reply' : (pick(['silence', 'silence', 'clock-step'] as const) ?? 'reply')
      const known = memory.get(instance) ?? { epoch: '', seen: 0 }
      return {
        instance,
        ...known,
        newEpoch: `epoch ${count}`,
        after,
        silentMs: Math.floor(random() * 20_000),
        sentAt:
          random() < 0.94 ? now - Math.floor(random() * 700) : (pick([0, now - 5_000, now + 5_000]) ?? 0),
        own:
          random() < 0.9
            ? undefined
            : [
                ...new Map(
                  Array.from({ length: Math.floor(random() * 4) }, () => reported(instance)).map((slot) => [
                    slot.id,
                    slot,
                  ]),
                ).values(),
              ],
        actions: Array.from({ length: pick([0, 1, 1, 1, 2, 5, 20]) ?? 1 }, (_, index) =>
          action(instance, index, now),
        ),
      }
    },
    hear(op, reply) {
      held.push(...reply.granted)
      // Some replies are lost.
      if (random() < 0.95) memory.set(op.instance, { epoch: reply.epoch, seen: reply.calls })
    },
  }
}

/** What somebody else may leave in the place of the state: the value in Redis, made of the state. */
const SPOILT: readonly ((state: object) => string)[] = [
  () => 'no JSON',
  () => '',
  () => '5',
  () => 'null',
  () => '[]',
  () => '{}',
  ...[0, 2, '1', null].map((version) => (state: object) => JSON.stringify({ ...state, version })),
  (state) => JSON.stringify({ ...state, slots: 5 }),
  (state) => JSON.stringify({ ...state, slots: [{ id: 'x' }] }),
  (state) => JSON.stringify({ ...state, slots: { id: 'x' } }),
  (state) => JSON.stringify({ ...state, slots: [null] }),
  (state) => JSON.stringify({ ...state, waiters: [{ id: 'x', instance: 5 }] }),
  (state) => JSON.stringify({ ...state, shared: [{ id: 'x' }] }),
  (state) => JSON.stringify({ ...state, shared: undefined }),
  (state) => JSON.stringify({ ...state, tags: ['x'] }),
  (state) => JSON.stringify({ ...state, tags: { ada: 'x' } }),
  (state) => JSON.stringify({ ...state, tags: { ada: 1e15 } }),
  (state) => JSON.stringify({ ...state, calls: '5' }),
  (state) => JSON.stringify({ ...state, calls: -1e300 }),
  (state) => JSON.stringify({ ...state, lastAt: 'x' }),
  (state) => JSON.stringify({ ...state, lastAt: undefined, steppedAt: undefined, version: undefined }),
  (state) => JSON.stringify({ ...state, later: { any: ['thing'] } }),
  (state) => JSON.stringify({ ...state, frozenUntil: 9e13, limitedAt: 9e13, loweredAt: 9e13, lowered: 70 }),
  (state) => JSON.stringify({ ...state, lowered: -5, lastAt: 9e13 }),
  (state) => JSON.stringify({ ...state, slots: [], waiters: [], tags: {}, dueAt: { gone: 9e13 } }),
]

/**
 * Puts something else in the place of the state, sometimes a value of another type, and says what the core
 * makes of it.
 */
async function spoil(state: BudgetState | undefined, random: () => number) {
  if (random() < 0.1) {
    await redis.del(key)
    await redis.lPush(key, 'a list')
    return 'broken' as const
  }
  const change = SPOILT[Math.floor(random() * SPOILT.length)]
  const text = change?.(state ?? {}) ?? ''
  await redis.set(key, text)
  try {
    return readState(JSON.parse(text))
  } catch {
    return 'broken' as const
  }
}

const variants: readonly [string, BudgetRules][] = [
  ['the usual rules', budgetRules(ACCOUNT)],
  [
    'a short queue and a reserve',
    budgetRules({ ...ACCOUNT, maxWaiting: 8, maxWaitingPerUser: 3, reserve: 10 }),
  ],
  ['strict', budgetRules({ ...ACCOUNT, strict: true, timeoutMs: 1_500 })],
  ['a very short queue, small bursts', budgetRules({ ...ACCOUNT, maxWaiting: 3, burst: 1 })],
]

it.each(variants)(
  'the script answers random calls as the core does: %s',
  async (_name, rules) => {
    let granted = 0
    let shared = 0
    let covered = 0
    let broken = 0
    const different: object[] = []
    for (let seed = 0; seed < 8 * SEED_FACTOR; seed += 1) {
      const random = seededRandom(seed)
      const calls = randomCalls(random)
      let state: BudgetState | undefined
      let copy: BudgetState | undefined
      let now = 1_763_000_000_000
      await redis.del(key)
      for (let step = 0; step < 200; step += 1) {
        const dice = random()
        now += Math.floor(random() * (dice < 0.02 ? 40_000 : dice < 0.1 ? 3_000 : 200))
        let found: BudgetState | 'broken' | undefined
        if (random() < 0.02) now -= Math.floor(random() * (random() < 0.3 ? 20_000_000 : 8_000))
        if (dice > 0.99) {
          state = undefined
          await redis.del(key)
        } else if (random() < 0.05) {
          found = await spoil(state, random)
        } else if (dice > 0.98 && copy !== undefined) {
          state = structuredClone(copy)
          await redis.set(key, JSON.stringify(copy))
        } else if (dice > 0.96 && state !== undefined) {
          copy = structuredClone(state)
        }
        const op = calls.next(now)
        const applied = applyOp(found ?? state, rules, op, now)
        state = applied.state
        broken += applied.reply.notices.filter(({ reason }) => reason === 'state-lost').length
        granted += applied.reply.granted.length
        shared += applied.reply.shared.length
        covered += applied.reply.covered.length
        const [answer, text] = await Promise.all([runScript(rules, op, now), redis.get(key)])
        const stored = readState(JSON.parse(text ?? ''))
        const ofScript = overTheWire({ state: stored, reply: answer })
        const ofCore = overTheWire({ state, reply: applied.reply })
        // Of thousands of steps, `expect` sees only those that differ.
        if (!isDeepStrictEqual(ofScript, ofCore)) different.push({ seed, step, op, ofScript, ofCore })
        calls.hear(op, answer)
      }
    }
    expect(different).toEqual([])
    expect(granted).toBeGreaterThan(100)
    expect(shared).toBeGreaterThan(12)
    expect(covered).toBeGreaterThan(5)
    expect(broken).toBeGreaterThan(20)
  },
  240_000,
)

it('the script lowers the limit in a row of 429s as the core does, down to the same floor', async () => {
  const rules = budgetRules(ACCOUNT)
  let state: BudgetState | undefined
  let now = 1_763_000_000_000
  await redis.del(key)
  const limits: number[] = []
  for (let call = 0; call < 15; call += 1) {
    const known = { epoch: state?.epoch ?? '', seen: call }
    const op: BudgetOp = {
      instance: 'one',
      ...known,
      newEpoch: 'epoch',
      after: 'reply',
      silentMs: 0,
      sentAt: 0,
      actions: [{ type: 'limited', id: '', retryAfterMs: 0, jitter: 0 }],
    }
    const applied = applyOp(state, rules, op, now)
    state = applied.state
    expect(overTheWire(await runScript(rules, op, now))).toEqual(overTheWire(applied.reply))
    limits.push(rules.limit - state.lowered)
    now += 10_000
  }
  expect(Math.min(...limits)).toBe(5)
})

it('the script grants a first call nothing after a state that cannot be read, as the core does', async () => {
  const rules = budgetRules(ACCOUNT)
  const now = 1_763_000_000_000
  const action = { type: 'ask', user: 'ada', cost: 1_000, background: false, withinMs: 10_000 } as const
  const op: BudgetOp = {
    instance: 'one',
    epoch: '',
    seen: 0,
    newEpoch: 'epoch',
    after: 'reply',
    silentMs: 0,
    sentAt: 0,
    actions: [{ ...action, id: 'a' }],
  }
  await redis.del(key)
  await redis.set(key, 'no JSON')
  const { reply } = applyOp('broken', rules, op, now)
  expect(reply.granted).toEqual([])
  expect(overTheWire(await runScript(rules, op, now))).toEqual(overTheWire(reply))
})

it('the script answers as the core does with more slots and requests than a function of Lua can take or return', async () => {
  const rules = budgetRules({ limit: 10_000, windowMs: 60_000, maxWaiting: 10_000, maxWaitingPerUser: 100 })
  const now = 1_763_000_000_000
  const sender = {
    epoch: 'epoch',
    seen: 0,
    newEpoch: 'epoch',
    after: 'reply',
    silentMs: 0,
    sentAt: 0,
  } as const
  const ask = (id: string, user: number, call?: string): BudgetAction => ({
    type: 'ask',
    id,
    user: `user ${user}`,
    call,
    cost: 1_000,
    background: false,
    withinMs: 60_000,
  })
  const ids = Array.from({ length: 9_000 }, (_, index) => index)
  let state: BudgetState | undefined = createBudgetState('epoch', rules)
  state.slots = ids.map((id) => ({
    id: `one:${id}`,
    user: `user ${id % 500}`,
    grantedAt: now - 5_000 - id,
    doneAt: id % 2 === 0 ? -1 : now - 1,
    freeAt: now + 60_000 - id,
  }))
  // All requests for one call: they leave the queue at once when it is made.
  for (const id of ids) {
    const { user, cost } = { user: `user ${id % 500}`, cost: 1_000 }
    const waiter = { id: `one:call ${id}`, instance: 'one', user, call: 'page', cost, background: false }
    state.waiters.push({ ...waiter, until: now + 60_000 })
  }
  await redis.set(key, JSON.stringify(state))

  const own = ids.map((id) => ({
    id: `one:${id}`,
    user: `user ${id % 500}`,
    grantedMsAgo: 5_000,
    doneMsAgo: 10,
    freeMs: 9_000 - (id % 100),
  }))
  const calls: Partial<BudgetOp>[] = [
    { actions: [] },
    { actions: [{ type: 'release', id: 'one:0', outcome: 'unsent' }, ask('one:more', 3)] },
    { after: 'silence', silentMs: 2_000 },
    { own },
    { actions: [{ type: 'limited', id: 'one:2', jitter: 0 }] },
    { actions: [{ type: 'bye' }] },
  ]
  let at = now
  let shared = 0
  for (const [index, call] of calls.entries()) {
    at += 200
    const op: BudgetOp = { ...sender, instance: 'one', seen: index, actions: [], ...call }
    const applied = applyOp(state, rules, op, at)
    state = applied.state
    shared += applied.reply.shared.length
    expect(isDeepStrictEqual(overTheWire(await runScript(rules, op, at)), overTheWire(applied.reply))).toBe(
      true,
    )
    expect(isDeepStrictEqual(readState(JSON.parse((await redis.get(key)) ?? '')), overTheWire(state))).toBe(
      true,
    )
  }
  expect(state.slots.length).toBeGreaterThan(8_000)
  expect(shared).toBe(8_999)
})
