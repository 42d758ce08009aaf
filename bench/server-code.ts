import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBff, type Grant } from '@stagepass/bff'
import { type Ratio, writeRatios } from './report/ratios.js'

/*
 * A list that is stored in the BFF, read by code on the same server: by `bff.as(grant)`, and by a request to
 * its own server over loopback, as a loader sends it. The two take turns in one process.
 */

const AIM = 10
const ROUNDS = Number(process.env['ROUNDS'] ?? 15)
const READS = Number(process.env['READS'] ?? 1_000)

const listen = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const meetings = Array.from({ length: 20 }, (_, index) => ({
  id: `meeting-${index}`,
  title: `Roadmap, part ${index}`,
  started_at: '2026-01-02T03:04:05.000Z',
  duration: 1_800 + index,
  status: 'completed',
  source: 'calendar',
  tags: ['tag-sales'],
  ownership: 'owned',
}))
const upstream = await listen((_req, res) =>
  res.setHeader('content-type', 'application/json').end(JSON.stringify({ meetings, next_cursor: null })),
)
const grant: Grant = { user: 'ada', meetings: { credential: 'a-credential-of-ada' } }
const bff = createBff({
  apiKey: 'sk_0123456789abcdef',
  baseUrl: upstream.url,
  streamingUrl: upstream.url.replace('http', 'ws'),
  authorize: () => grant,
  limits: { meetingsPerMinute: Infinity },
  meetings: { cacheMs: 60_000 },
})
const own = await listen(bff)
const headers = { 'x-stagepass': '1' }
const ada = bff.as(grant)

interface Page {
  readonly meetings: readonly unknown[]
}
// The fields of the examples: examples/page/filters.ts.
const fields = ['title', 'started_at', 'duration', 'ownership', 'tags'] as const
const search = `?fields=${fields.join(',')}`
const byCall = (): Promise<Page> => ada.meetings({ fields })
const byRequest = async (): Promise<Page> =>
  (await fetch(`${own.url}/meetings${search}`, { headers })).json() as Promise<Page>

/** Microseconds for one read, of reads one after another. */
async function usOf(read: () => Promise<Page>): Promise<number> {
  const startedAt = performance.now()
  for (let time = 0; time < READS; time += 1)
    if ((await read()).meetings.length !== meetings.length) throw new Error('A read is not the list.')
  return ((performance.now() - startedAt) * 1_000) / READS
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const called: number[] = []
const requested: number[] = []
await usOf(byCall)
await usOf(byRequest)
for (let round = 0; round < ROUNDS; round += 1) {
  called.push(await usOf(byCall))
  requested.push(await usOf(byRequest))
}
const ratio = median(requested) / median(called)
console.log(`bff.as(grant).meetings()      ${median(called).toFixed(1)} µs`)
console.log(`GET /meetings over loopback   ${median(requested).toFixed(1)} µs`)
console.log(`${ratio.toFixed(1)} times (at least ${AIM}: ${ratio >= AIM ? 'holds' : 'MISSED'})`)
const row: Ratio = {
  what: 'Server code by bff.as(grant)',
  beside: 'a request to its own server',
  gets: 'A page that is rendered on the server has its list at once.',
  own: median(called),
  other: median(requested),
  unit: 'µs for a stored list',
  ratio,
  aim: { atLeast: AIM },
}
writeRatios([row])
await bff.close()
for (const { server } of [own, upstream]) {
  server.closeAllConnections()
  server.close()
}
if (ratio < AIM) process.exitCode = 1
