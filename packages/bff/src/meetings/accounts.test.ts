import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respond } from '@stagepass/emulator'
import { startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { Agent, request } from 'undici'
import { expect, it } from 'vitest'
import { createBff } from '../createBff.js'
import { readOptions } from '../settings/readOptions.js'
import { createBudgets } from './createBudgets.js'

const ACCOUNTS = 500
/** More than an idle account gives at once. */
const PAGES = 11

async function listen(listener: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A service that counts each credential by itself: 25 requests in any 5 s. */
async function startCountingService() {
  const arrivals = new Map<string, number[]>()
  const counts = { served: 0, refused: 0 }
  const { server, url } = await listen(({ headers: { authorization = '' } }, response) => {
    const now = performance.now()
    const recent = (arrivals.get(authorization) ?? []).filter((at) => at > now - 5_000)
    const isFree = recent.length < 25
    if (isFree) recent.push(now)
    arrivals.set(authorization, recent)
    counts[isFree ? 'served' : 'refused'] += 1
    response.statusCode = isFree ? 200 : 429
    response.end(isFree ? '{"meetings":[],"next_cursor":null}' : '{}')
  })
  return { url, counts, close: () => server.close() }
}

/** Asks for all pages of all accounts at once, page by page. Returns the statuses. */
async function askOfAccounts(url: string): Promise<number[]> {
  const dispatcher = new Agent({ connections: 256 })
  const statuses = await Promise.all(
    Array.from({ length: ACCOUNTS * PAGES }, async (_, index) => {
      const headers = { 'x-stagepass': '1', 'x-account': `account-${index % ACCOUNTS}` }
      const page = Math.floor(index / ACCOUNTS)
      const { statusCode, body } = await request(`${url}/meetings?q=${page}`, { headers, dispatcher })
      await body.dump()
      return statusCode
    }),
  )
  await dispatcher.close()
  return statuses
}

it('by account: 500 accounts at once, each with its own limit, none refused', async () => {
  const service = await startCountingService()
  const bff = createBff({
    apiKey: 'a key',
    baseUrl: service.url,
    streamingUrl: 'wss://streaming.example',
    deadlineMs: 120_000,
    logger: false,
    limits: { meetingsPerMinute: Infinity },
    authorize: ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => {
      const account = String(headers['x-account'])
      return { user: `user of ${account}`, meetings: { account, credential: `key of ${account}` } }
    },
  })
  const { server, url } = await listen(bff)
  const statuses = await askOfAccounts(url)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  expect(service.counts).toEqual({ served: ACCOUNTS * PAGES, refused: 0 })
  expect(bff.gauge().accounts).toBe(ACCOUNTS + 1)
  await bff.close()
  server.close()
  service.close()
})

it('S21 equal questions of two accounts share no page and no request', async () => {
  await using stack = await startStack()
  const { meetingsCredential: credential } = stack.upstream
  for (const account of ['one', 'other', 'one']) {
    stack.grant = { user: 'ada', meetings: { credential, account } }
    expect((await stack.fetch('/meetings')).status).toBe(200)
  }
  expect(stack.upstream.requests).toHaveLength(2)
})

it('a 429 pauses its own account alone, and its event names it', async () => {
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

const settingsWith = (clock: ReturnType<typeof virtualClock>) =>
  readOptions({
    apiKey: 'k',
    baseUrl: 'https://a.example',
    streamingUrl: 'wss://a.example',
    authorize: () => null,
    platform: { clock },
  })

it('an account that is idle for some minutes is forgotten, the common one is not', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  const common = budgets.of('main')
  const first = budgets.of('one')
  budgets.of('other')
  await clock.advance(100_000)
  expect(budgets.of('one')).toBe(first)
  await clock.advance(200_000)
  expect(budgets.gauge().accounts).toBe(1)
  expect(budgets.of('main')).toBe(common)
  expect(budgets.of('one')).not.toBe(first)
})

it('looks for idle accounts until there is none, and closes each', async () => {
  const clock = virtualClock()
  let asked = 0
  const redis = () => {
    asked += 1
    return Promise.reject(new Error('down'))
  }
  const budgets = createBudgets({ ...settingsWith(clock), redis }, redis, undefined)
  await clock.advance(1)
  const idle = clock.timers
  budgets.of('one')
  await clock.advance(100_000)
  budgets.of('one')
  // The first look found it in use.
  await clock.advance(400_000)
  expect(budgets.gauge().accounts).toBe(1)
  expect(clock.timers).toBe(idle)
  await budgets.close()
  const before = asked
  await clock.advance(100_000)
  expect(asked).toBe(before)
})

it('an event names its account, unless that is the common one', async () => {
  const clock = virtualClock()
  const events: object[] = []
  const budgets = createBudgets(settingsWith(clock), undefined, (event) => events.push(event))
  for (const account of ['main', 'one']) {
    const budget = budgets.of(account)
    budget.rateLimited(2_000, await budget.acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 }))
  }
  expect(events.length).toBeGreaterThanOrEqual(2)
  expect(events.map((event) => (event as { account?: string }).account)).toEqual([
    ...Array.from({ length: events.length / 2 }, () => undefined),
    ...Array.from({ length: events.length / 2 }, () => 'one'),
  ])
  await budgets.close()
})

it('S27 of 20,000 accounts the 10,000 that were used last are kept, and the common one', () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  for (let account = 0; account < 20_000; account += 1) budgets.of(`account-${account}`)
  expect(budgets.gauge().accounts).toBe(10_001)
  const first = budgets.of('account-10000')
  budgets.of('one-more')
  expect(budgets.gauge().accounts).toBe(10_001)
  expect(budgets.of('account-10000')).toBe(first)
})

it('sums what the accounts use, with the longest freeze', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  const ask = (account: string) =>
    budgets.of(account).acquire({ user: 'ada', signal: NEVER, deadlineMs: 10_000 })
  await Promise.all(['one', 'one', 'other'].map(ask))
  expect(budgets.gauge()).toMatchObject({ accounts: 3, limit: 75, used: 3, frozenMs: 0 })
  budgets.of('other').rateLimited(2_000, await ask('other'))
  const { foreignUse, frozenMs, waits } = budgets.gauge()
  expect(frozenMs).toBeGreaterThanOrEqual(2_000)
  expect(foreignUse).toBe(budgets.of('other').gauge().foreignUse)
  expect([waits.count, waits.buckets.at(-1)?.count]).toEqual([4, 4])
  expect(budgets.isDegraded()).toBe(false)
})

it('is degraded if Redis does not respond, for one account or for all', async () => {
  const clock = virtualClock()
  const down = () => Promise.reject(new Error('down'))
  const budgets = createBudgets({ ...settingsWith(clock), redis: down }, down, undefined)
  expect(budgets.isDegraded()).toBe(false)
  void budgets
    .of('one')
    .acquire({ user: 'ada', signal: NEVER, deadlineMs: 1_000 })
    .catch(() => {})
  await clock.advance(30_000)
  expect(budgets.isDegraded()).toBe(true)
  await budgets.close()
})
