import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dispatcher, request } from 'undici'

export const ACCOUNTS = 500
/** More than an idle account gives at once. */
export const PAGES = 11

export async function listen(
  listener: RequestListener,
): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** A service that counts each credential by itself: 25 requests in any 5 s. */
export async function startCountingService() {
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

/** Asks for all pages of all accounts at once, page by page, of each BFF in turn. Returns the statuses. */
export function askOfAccounts(urls: readonly string[], dispatcher: Dispatcher): Promise<number[]> {
  return Promise.all(
    Array.from({ length: ACCOUNTS * PAGES }, async (_, index) => {
      const page = Math.floor(index / ACCOUNTS)
      const headers = { 'x-stagepass': '1', 'x-account': `account-${index % ACCOUNTS}` }
      // Each page of an account is asked of another instance.
      const url = `${urls[(index + page) % urls.length]}/meetings?q=${page}`
      const { statusCode, body } = await request(url, { headers, dispatcher })
      await body.dump()
      return statusCode
    }),
  )
}
