import { expect, it } from 'vitest'
import { ACCOUNT } from '../../account.test.kit.js'
import { budgetRules } from '../../BudgetOptions.js'
import { applyOp } from './applyOp.js'
import type { BudgetState } from './BudgetState.js'
import type { AskAction, BudgetAction, BudgetOp, BudgetReply, BudgetRules } from '../protocol.js'

const rules = budgetRules({ ...ACCOUNT, maxWaiting: 10 })

/** One state, called by one instance unless told. */
function createLedger(by: BudgetRules = rules): {
  state(): BudgetState | undefined
  call(action: BudgetAction | undefined, now: number, op?: Partial<BudgetOp>): BudgetReply
} {
  let state: BudgetState | undefined
  const sender = {
    instance: 'one',
    epoch: '',
    seen: 0,
    newEpoch: 'epoch',
    after: 'reply',
    silentMs: 0,
    sentAt: 0,
  } as const
  return {
    state: () => state,
    call(action, now, op) {
      const applied = applyOp(state, by, { ...sender, actions: action ? [action] : [], ...op }, now)
      state = applied.state
      return applied.reply
    },
  }
}

const ask = (id: string, user: string): AskAction => ({
  type: 'ask',
  id,
  user,
  cost: 1_000,
  background: false,
  withinMs: 10_000,
})

it('S27 thousands of users leave no more in the state than can wait and be in flight', () => {
  const ledger = createLedger()
  let granted = 0
  let most = 0
  for (let user = 0; user < 20_000; user += 1) {
    const now = user * 10
    const reply = ledger.call(ask(`request ${user}`, `user ${user}`), now)
    for (const id of reply.granted) ledger.call({ type: 'release', id, outcome: 'answered' }, now)
    granted += reply.granted.length
    const { tags = {}, waiters = [], slots = [] } = ledger.state() ?? {}
    most = Math.max(most, Object.keys(tags).length, waiters.length, slots.length)
  }
  // 200 s at five a second.
  expect(granted).toBeGreaterThan(940)
  expect(most).toBeLessThanOrEqual(50)
})

it('an ask that is repeated has one slot, and its time starts again', () => {
  const ledger = createLedger()
  expect(ledger.call(ask('a', 'ada'), 0).granted).toEqual(['a'])
  expect(ledger.call(ask('a', 'ada'), 400).granted).toEqual(['a'])
  expect(ledger.state()?.slots).toMatchObject([{ id: 'a', grantedAt: 400 }])
  ledger.call({ type: 'release', id: 'a', outcome: 'answered' }, 500)
  expect(ledger.call(ask('a', 'ada'), 600).granted).toEqual([])
})

it('an ask that is repeated in a freeze waits for its end', () => {
  const ledger = createLedger()
  ledger.call(ask('a', 'ada'), 0)
  ledger.call({ type: 'limited', id: '', retryAfterMs: 1_000, jitter: 0 }, 100)
  expect(ledger.call(ask('a', 'ada'), 400).granted).toEqual([])
  expect(ledger.state()?.slots).toEqual([])
  expect(ledger.call(undefined, 1_100).granted).toEqual(['a'])
})

it('a request that leaves without having heard of its slot gives it back', () => {
  const ledger = createLedger()
  ledger.call(ask('a', 'ada'), 0)
  ledger.call({ type: 'leave', id: 'a' }, 10)
  expect(ledger.state()?.slots).toEqual([])
})

it('a call after a silence is granted nothing: its reply may never arrive', () => {
  const ledger = createLedger()
  expect(ledger.call(ask('a', 'ada'), 0, { after: 'silence' }).granted).toEqual([])
  expect(ledger.state()?.slots).toEqual([])
  expect(ledger.call(undefined, 100).granted).toEqual(['a'])
})

it('a call that arrives seconds after it was sent is granted nothing, and its report is too old', () => {
  const ledger = createLedger()
  ledger.call(ask('one:1', 'ada'), 1_000)
  const late = ledger.call(ask('one:2', 'ada'), 3_000, { sentAt: 1_500, own: [] })
  expect(late).toMatchObject({ granted: [], apart: true })
  expect(ledger.state()?.slots).toMatchObject([{ id: 'one:1' }])
  const next = ledger.call(undefined, 3_010, { sentAt: 3_000, own: [] })
  expect(next).toMatchObject({ granted: ['one:2'], apart: false })
  expect(ledger.state()?.slots).toMatchObject([{ id: 'one:2' }])
})

const users = Array.from({ length: 30 }, (_, user) => ask(`one:${user}`, `user ${user}`))

it.each([
  [9_100, 0],
  [9_100, 100],
  [9_100, 700],
  [9_100, 2_000],
  [90_000, 0],
])(
  'after an outage of %i ms the first instance is given what the shares of the others leave, although its call came %i ms late',
  (outageMs, lateMs) => {
    const ledger = createLedger()
    ledger.call(undefined, 1_000, { instance: 'other' })
    ledger.call(undefined, 2_900)
    const backAt = 2_900 + outageMs
    const first = { after: 'silence', silentMs: outageMs - lateMs, sentAt: backAt - lateMs } as const
    expect(ledger.call(undefined, backAt, first)).toMatchObject({ apart: true })
    ledger.call(undefined, backAt + 10, { after: 'silence', own: [] })
    const granted = users.flatMap((action) => ledger.call(action, backAt + 20).granted)
    // Of 25, twelve are the other's.
    expect(granted).toHaveLength(13)
    expect(ledger.call(undefined, backAt + 1_400).granted).toEqual([])
    ledger.call(undefined, backAt + 1_410, { instance: 'other', after: 'silence', own: [] })
    expect(ledger.call(undefined, backAt + 1_420).granted).toHaveLength(1)
  },
)

it.each([
  [600, 25],
  [2_100, 13],
])(
  'an instance that is %i ms late, and held nothing, leaves the others %i of 25 slots: at first it uses only what it holds',
  (lateMs, left) => {
    const ledger = createLedger()
    ledger.call(undefined, 1_000, { instance: 'other' })
    ledger.call(undefined, 2_900)
    const granted = users.flatMap((action) => ledger.call(action, 3_000 + lateMs).granted)
    expect(granted).toHaveLength(left)
  },
)

it.each([false, true])('an instance that is late does not lose its own share: strict %j', (strict) => {
  const ledger = createLedger({ ...rules, strict })
  ledger.call(undefined, 0)
  const late = { actions: [ask('one:1', 'ada'), ask('one:2', 'bob')] }
  expect(ledger.call(undefined, 5_000, late)).toMatchObject({ granted: ['one:1', 'one:2'], apart: true })
})

it('the share of an instance that is gone is kept back for a minute at most, however late the others call', () => {
  const ledger = createLedger()
  ledger.call(undefined, 0, { instance: 'other' })
  const grantedAt = (now: number): number =>
    users.flatMap((action) => ledger.call({ ...action, id: `${action.id} ${now}` }, now).granted).length
  for (let now = 0; now <= 30_000; now += 5_000) ledger.call(undefined, now)
  expect(grantedAt(30_010)).toBe(13)
  for (let now = 35_000; now <= 80_000; now += 5_000) ledger.call(undefined, now, { own: [] })
  expect(grantedAt(80_010)).toBe(25)
})
