import type { RedisEval } from '@stagepass/budget'
import { respond } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { expect, it } from 'vitest'
import type { BffOptions } from '../index.js'
import type { Clock } from '../base/platform.js'
import type { EmitEvent } from '../telemetry/events.js'
import { readOptions } from '../settings/readOptions.js'
import { createAccounts } from './createAccounts.js'
import { memoryRegister } from './accountOf.test.kit.js'

it('S21 equal reads of two accounts share no page and no request', async () => {
  await using stack = await startStack()
  const { meetingsCredential: credential } = stack.upstream
  for (const account of ['one', 'other', 'one']) {
    stack.grant = { user: 'ada', meetings: { credential, account } }
    expect((await stack.fetch('/meetings')).status).toBe(200)
  }
  expect(stack.upstream.requests).toHaveLength(2)
})

it('a 429 pauses only its own account, and its event names the account', async () => {
  await using stack = await startStack({ bff: { deadlineMs: 2_000, meetings: { cacheMs: 0 } } })
  const { meetingsCredential: credential } = stack.upstream
  stack.upstream.use(respond({ status: 429, headers: { 'retry-after': '30' } }, { times: 1 }))
  stack.grant = { user: 'ada', meetings: { credential, account: 'one' } }
  expect((await stack.fetch('/meetings')).status).toBe(503)
  expect((await stack.fetch('/meetings')).status).toBe(503)
  stack.grant = { user: 'ada', meetings: { credential, account: 'other' } }
  expect((await stack.fetch('/meetings')).status).toBe(200)
  stack.grant = { user: 'ada', meetings: { credential } }
  expect((await stack.fetch('/meetings')).status).toBe(200)
  expect(stack.events).toContainEqual(
    expect.objectContaining({ type: 'budget.limit', reason: 'foreign-use', account: 'one' }),
  )
})

const NEVER = new AbortController().signal

const settingsWith = (clock: Clock, options: Pick<BffOptions, 'meetings' | 'sessions'>) =>
  readOptions({
    apiKey: 'k',
    baseUrl: 'https://a.example',
    streamingUrl: 'wss://a.example',
    authorize: () => null,
    platform: { clock },
    ...options,
  })

interface Parts extends Pick<BffOptions, 'meetings' | 'sessions'> {
  readonly redis?: RedisEval
  readonly emit?: EmitEvent
  readonly maxAccounts?: number
}

/** Accounts without a BFF. */
function setUp(clock: Clock, { redis, emit, maxAccounts, ...options }: Parts = {}) {
  const accounts = createAccounts({
    userName: ({ user }) => user,
    register: memoryRegister(),
    settings: { ...settingsWith(clock, options), redis },
    emit,
    hold: (work) => work,
    note: () => undefined,
    ...(maxAccounts !== undefined && { maxAccounts }),
  })
  accounts.open()
  const accountOf = (account?: string) => accounts.of({ account }).account
  /** Without a name: the common account. */
  const budgetOf = (account?: string) => accountOf(account).budget
  return { accounts, accountOf, budgetOf }
}

it('an account that is idle for some minutes is forgotten, the common one is not', async () => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock)
  const common = budgetOf()
  const first = budgetOf('one')
  budgetOf('other')
  // Two minutes, and the deadline of a request.
  await clock.advance(129_000)
  expect(budgetOf('one')).toBe(first)
  await clock.advance(240_000)
  expect(accounts.gauge().accounts).toBe(1)
  expect(budgetOf()).toBe(common)
  expect(budgetOf('one')).not.toBe(first)
})

it('S22 a credential never has the number of another one, also if its account is created again', () => {
  const { accounts, accountOf } = setUp(virtualClock(), { maxAccounts: 1 })
  const numbers = [accountOf('one').numberOf('of ada')]
  // It pushes the first one out.
  numbers.push(accountOf('other').numberOf('of grace'))
  numbers.push(accountOf('one').numberOf('of bob'))
  accounts.drop('one')
  numbers.push(accountOf('one').numberOf('of carol'))
  expect(new Set(numbers).size).toBe(4)
})

it('does not keep the process running to look for idle accounts', async () => {
  const clock = virtualClock()
  const looks: unknown[] = []
  const after: Clock['after'] = (delayMs, task, keepAlive) => {
    if (delayMs === 120_000) looks.push(keepAlive)
    return clock.after(delayMs, task)
  }
  const { budgetOf } = setUp({ ...clock, after })
  budgetOf('one')
  await clock.advance(125_000)
  expect(looks).toEqual([false, false])
})

it.each([
  [0, 5],
  [10, 3],
  [24, 1],
])('with `strict` and a reserve of %i it gives %i slots in any second', async (reserve, limit) => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock, { meetings: { strict: true, reserve } })
  const ask = () => budgetOf().acquire({ user: 'ada', signal: NEVER, deadlineMs: 10_000 })
  const slots = Array.from({ length: limit }, ask)
  const next = ask()
  await clock.advance(2_000)
  expect(accounts.gauge()).toMatchObject({ limit, used: limit, waiting: 1 })
  for (const slot of await Promise.all(slots)) slot.release('answered')
  // Without `strict` it would wait for 5 s.
  await clock.advance(2_000)
  await next
  expect(accounts.gauge()).toMatchObject({ used: 1, waiting: 0 })
})

it('looks for idle accounts until there is none, and closes each', async () => {
  const clock = virtualClock()
  let asked = 0
  const redis = () => {
    asked += 1
    return Promise.reject(new Error('down'))
  }
  const { accounts, budgetOf } = setUp(clock, { redis })
  await clock.advance(1)
  const idle = clock.timers
  budgetOf('one')
  await clock.advance(100_000)
  budgetOf('one')
  // The first look found it in use.
  await clock.advance(400_000)
  expect(accounts.gauge().accounts).toBe(1)
  expect(clock.timers).toBe(idle)
  await accounts.close()
  const before = asked
  await clock.advance(100_000)
  expect(asked).toBe(before)
})

it('an event names its account, unless that is the common one', async () => {
  const clock = virtualClock()
  const events: object[] = []
  const { accounts, budgetOf } = setUp(clock, { emit: (event) => void events.push(event) })
  for (const account of [undefined, 'one']) {
    const budget = budgetOf(account)
    budget.rateLimited(2_000, await budget.acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 }))
  }
  expect(events.length).toBeGreaterThanOrEqual(2)
  expect(events.map((event) => (event as { account?: string }).account)).toEqual([
    ...Array.from({ length: events.length / 2 }, () => undefined),
    ...Array.from({ length: events.length / 2 }, () => 'one'),
  ])
  await accounts.close()
})

it('S27 of 20,100 accounts the last 20,000 are kept, and the common one', () => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock)
  for (let account = 0; account < 20_100; account += 1) budgetOf(`account-${account}`)
  expect(accounts.gauge().accounts).toBe(20_001)
  const first = budgetOf('account-100')
  budgetOf('one-more')
  expect(accounts.gauge().accounts).toBe(20_001)
  expect(budgetOf('account-100')).toBe(first)
})

it('sums what the accounts use, with the longest freeze', async () => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock)
  const ask = (account: string) =>
    budgetOf(account).acquire({ user: 'ada', signal: NEVER, deadlineMs: 10_000 })
  await Promise.all(['one', 'one', 'other'].map(ask))
  expect(accounts.gauge()).toMatchObject({ accounts: 3, limit: 75, used: 3, frozenMs: 0 })
  budgetOf('other').rateLimited(2_000, await ask('other'))
  const { foreignUse, frozenMs } = accounts.gauge()
  expect(frozenMs).toBeGreaterThanOrEqual(2_000)
  expect(foreignUse).toBe(budgetOf('other').gauge().foreignUse)
  const late = ask('other')
  expect(accounts.gauge().waiting).toBe(1)
  await clock.advance(8_000)
  await late
  expect(accounts.isDegraded()).toBe(false)
})

it('is degraded if Redis does not respond, for one account or for all', async () => {
  const clock = virtualClock()
  const down = () => Promise.reject(new Error('down'))
  const { accounts, budgetOf } = setUp(clock, { redis: down })
  expect(accounts.isDegraded()).toBe(false)
  void budgetOf('one')
    .acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
    .catch(() => {})
  await clock.advance(30_000)
  expect(accounts.isDegraded()).toBe(true)
  // A new account has not called Redis yet. The others still count.
  budgetOf('new')
  expect(accounts.isDegraded()).toBe(true)
  await accounts.close()
})

it('S27 an account that is in use refuses no other one while there is one that was not used for minutes', async () => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock, { maxAccounts: 5 })
  budgetOf('unused')
  await clock.advance(125_000)
  await budgetOf('busy').acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
  for (let account = 2; account < 5; account += 1) budgetOf(`account-${account}`)
  await clock.advance(6_000)
  expect(budgetOf('one-more')).toBeDefined()
  await accounts.close()
})

it.each([
  [['lost-1'], false],
  [['lost-1', 'lost-2'], true],
  [['main'], true],
] as const)(
  'is degraded if the common account or half of the others lost Redis: %j',
  async (lost, isDegraded) => {
    const clock = virtualClock()
    const redis: RedisEval = (_script, keys) =>
      lost.some((account) => keys.join().includes(account))
        ? Promise.reject(new Error('down'))
        : Promise.resolve([1, 1, 1, 0, 0, 1e6, 0, 0, 0])
    const { accounts, budgetOf } = setUp(clock, { redis })
    for (const account of ['lost-1', 'lost-2', 'well-1', 'well-2']) budgetOf(account)
    await clock.advance(1_500)
    expect(accounts.isDegraded()).toBe(isDegraded)
    await accounts.close()
  },
)

it('S27 the budget of an account that is in use is not closed for another one', async () => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock, { maxAccounts: 5 })
  const slot = await budgetOf('busy').acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
  slot.release('answered')
  for (let account = 1; account < 5; account += 1) budgetOf(`account-${account}`)
  expect(() => budgetOf('one-more')).toThrow(
    expect.objectContaining({
      code: 'BUDGET_EXHAUSTED',
      retryAfterMs: 5_000,
      details: { seen: { cause: 'accounts' } },
    }),
  )
  // The service counts a request for five seconds.
  await clock.advance(5_500)
  expect(budgetOf('one-more')).toBeDefined()
  expect(accounts.gauge().accounts).toBe(6)
  await accounts.close()
})

it('S27 an account without lists is forgotten for another one, and has its key again later', () => {
  const { accounts, accountOf } = setUp(virtualClock(), { maxAccounts: 2 })
  const first = accountOf('one')
  const keyOf = (name: string) => accountOf(name).keyOf(`key-of-${name}`)?.secret
  expect(['one', 'two', 'three', 'one'].map(keyOf)).toEqual([
    'key-of-one',
    'key-of-two',
    'key-of-three',
    'key-of-one',
  ])
  expect(accountOf('one')).not.toBe(first)
  expect(accounts.gauge().accounts).toBe(1)
})

it('S27 an account that the service has paused is in use until the pause ends', async () => {
  const clock = virtualClock()
  const { accounts, budgetOf } = setUp(clock, { maxAccounts: 5 })
  const paused = budgetOf('paused')
  paused.rateLimited(20_000, await paused.acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 }))
  for (let account = 1; account < 5; account += 1) budgetOf(`account-${account}`)
  await clock.advance(15_000)
  expect(() => budgetOf('one-more')).toThrow(expect.objectContaining({ code: 'BUDGET_EXHAUSTED' }))
  await accounts.close()
})

const ADA = { user: 'ada', account: undefined }
const ANY = { weight: undefined, id: undefined }

it.each([
  ['closed if Redis has them', { redis: () => Promise.reject(new Error('down')) }, true],
  ['kept in memory, where nothing else has them', {}, false],
])('the sessions of an idle account are %s', async (_name, parts, isClosed) => {
  const clock = virtualClock()
  const { accounts, accountOf } = setUp(clock, { ...parts, sessions: { max: 5 } })
  const [common, first] = [accountOf().sessions, accountOf('one').sessions]
  await clock.advance(129_000)
  // A request after the first look.
  await first?.check(ADA).catch(() => {})
  await clock.advance(129_000)
  expect(accountOf('one').sessions).toBe(first)
  await clock.advance(120_000)
  expect(accountOf('one').sessions === first).toBe(!isClosed)
  expect(accountOf().sessions).toBe(common)
  expect(accounts.gauge().sessions).toMatchObject({ max: 10 })
  await accounts.close()
})

it('S27 an account with an open session is in use until its leases are over', async () => {
  const clock = virtualClock()
  const { accounts, accountOf } = setUp(clock, { maxAccounts: 2, sessions: { max: 5 } })
  const { sessions } = accountOf('busy')
  expect(await sessions?.ask(ADA, 'stt', ANY)).toMatchObject({ status: 'leased' })
  accountOf('two')
  expect(() => accountOf('three')).toThrow(expect.objectContaining({ code: 'BUDGET_EXHAUSTED' }))
  await clock.advance(89_999)
  expect(() => accountOf('three')).toThrow(expect.objectContaining({ code: 'BUDGET_EXHAUSTED' }))
  await clock.advance(1)
  expect(accountOf('three').sessions).not.toBe(sessions)
  expect(accounts.gauge().sessions).toMatchObject({ open: 0, max: 5 })
  await accounts.close()
})

it.each([
  ['is in use while another one waits', false, 'BUDGET_EXHAUSTED'],
  ['is not in use after its release', true, undefined],
])('S27 an account with a session %s', async (_what, isReleased, code) => {
  const { accounts, accountOf } = setUp(virtualClock(), { maxAccounts: 2, sessions: { max: 1 } })
  const { sessions } = accountOf('one')
  const { id } = (await sessions?.ask(ADA, 'stt', ANY)) ?? { id: '' }
  if (isReleased) await sessions?.release(ADA, { id, product: 'stt' })
  else await sessions?.ask(ADA, 'stt', ANY)
  accountOf('two')
  let found: unknown
  try {
    accountOf('three')
  } catch (error) {
    found = Object(error).code
  }
  expect(found).toBe(code)
  await accounts.close()
})

it('sums the sessions of all accounts, without a maximum if one of them is not known', async () => {
  const { accounts, accountOf } = setUp(virtualClock(), { sessions: {} })
  expect(accounts.gauge().sessions).toMatchObject({ open: 0, waiting: 0 })
  accounts.of({ account: 'one', sessions: { weight: undefined, max: 1 } })
  for (const account of [undefined, 'one', 'one']) await accountOf(account).sessions?.ask(ADA, 'stt', ANY)
  expect(accounts.gauge().sessions).toEqual({ open: 2, waiting: 1, max: undefined, learned: false })
})
