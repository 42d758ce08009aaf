import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, request } from 'undici'
import { expect, it } from 'vitest'
import { createBff } from '../hosts/node/createBff.js'

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
