import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respond } from '@stagepass/emulator'
import { startRedis, startStack } from '@stagepass/testing'
import { virtualClock } from '@stagepass/testing/virtualClock'
import { createClient } from 'redis'
import { Agent, request } from 'undici'
import { expect, it } from 'vitest'
import { createBff } from '../createBff.js'
import { readOptions } from '../settings/readOptions.js'
import { createBudgets } from './createBudgets.js'

const ACCOUNTS = 500
/** More than an idle account gives at once. */
const PAGES = 12

async function listen(listener: RequestListener): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A service that counts each credential by itself: 25 requests in any 5 s. */
async function startService() {
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

it.each([
  ['in one process', 1],
  ['in three over Redis', 3],
])(
  'by account: 500 accounts at once, each with its own limit, none refused: %s',
  async (_name, instances) => {
    const service = await startService()
    await using redis = await startRedis()
    const client = await createClient({ socket: { path: redis.socketPath, tls: false } }).connect()
    const dispatcher = new Agent({ connections: 64 })
    const options = {
      apiKey: 'a key',
      baseUrl: service.url,
      streamingUrl: 'wss://streaming.example',
      redis: instances > 1 ? client : undefined,
      deadlineMs: 120_000,
      logger: false as const,
      limits: { meetingsPerMinute: Infinity },
      authorize: ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => {
        const account = String(headers['x-account'])
        return { user: `user of ${account}`, meetings: { account, credential: `key of ${account}` } }
      },
    }
    const bffs = Array.from({ length: instances }, () => createBff(options))
    const servers = await Promise.all(bffs.map((bff) => listen(bff as unknown as RequestListener)))
    const asked = Array.from({ length: ACCOUNTS * PAGES }, async (_, index) => {
      const { url } = servers[index % instances] ?? { url: '' }
      const headers = { 'x-stagepass': '1', 'x-account': `account-${Math.floor(index / PAGES)}` }
      const { statusCode, body } = await request(`${url}/meetings?q=${index % PAGES}`, {
        headers,
        dispatcher,
      })
      await body.dump()
      return statusCode
    })
    const statuses = await Promise.all(asked)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
    expect(service.counts).toEqual({ served: ACCOUNTS * PAGES, refused: 0 })
    expect(bffs[0]?.gauge().accounts).toBe(ACCOUNTS + 1)
    await dispatcher.close()
    await Promise.all(bffs.map((bff) => bff.close()))
    for (const { server } of servers) server.close()
    await client.close()
    service.close()
  },
  180_000,
)

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

it('S27 of 20,000 accounts 10,000 are kept; if all of them are busy, one more is refused', async () => {
  const clock = virtualClock()
  const budgets = createBudgets(settingsWith(clock), undefined, undefined)
  for (let account = 0; account < 20_000; account += 1) budgets.of(`account-${account}`)
  expect(budgets.gauge().accounts).toBe(10_000)
  const first = budgets.of('account-10001')
  for (let account = 10_001; account < 20_000; account += 1) {
    const { signal } = new AbortController()
    void budgets.of(`account-${account}`).acquire({ user: 'ada', deadlineMs: 9_000, signal })
  }
  await clock.settle()
  expect(() => budgets.of('one more')).toThrow(expect.objectContaining({ code: 'BUDGET_EXHAUSTED' }))
  expect(budgets.of('account-10001')).toBe(first)
})
