import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBff, type Grant } from '@stagepass/bff'
import { readOptions } from '../scripts/options.js'
import { createRecorder } from './report/createRecorder.js'
import { median } from './report/median.js'

/*
 * A list that is stored in the BFF, read by code on the same server: by `bff.as(grant)`, and by a request to
 * its own server over loopback, as a loader sends it. The two take turns in one process.
 * `npm run server-code -w @stagepass/bench`
 */

const { values } = readOptions('npm run server-code -w @stagepass/bench -- [--rounds 15] [--reads 1000]', {
  options: { rounds: { type: 'string', default: '15' }, reads: { type: 'string', default: '1000' } },
})
const reads = Number(values.reads)

const listen = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
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
  baseUrl: upstream,
  streamingUrl: upstream.replace('http', 'ws'),
  authorize: () => grant,
  limits: { meetingsPerMinute: Infinity },
  meetings: { cacheMs: 60_000 },
})
// The fields of the examples: examples/page/filters.ts.
const fields = ['title', 'started_at', 'duration', 'ownership', 'tags'] as const
const url = `${await listen(bff)}/meetings?fields=${fields.join(',')}`
const ada = bff.as(grant)

interface Page {
  readonly meetings: readonly unknown[]
}
const WAYS: readonly (() => Promise<Page>)[] = [
  () => ada.meetings({ fields }),
  async () => (await fetch(url, { headers: { 'x-stagepass': '1' } })).json() as Promise<Page>,
]

/** Microseconds for one read, of reads one after another. */
async function usOf(read: () => Promise<Page>): Promise<number> {
  const startedAt = performance.now()
  for (let time = 0; time < reads; time += 1)
    if ((await read()).meetings.length !== meetings.length) throw new Error('A read is not the list.')
  return ((performance.now() - startedAt) * 1_000) / reads
}

for (const read of WAYS) await usOf(read)
const took: number[][] = WAYS.map(() => [])
for (let round = 0; round < Number(values.rounds); round += 1)
  for (const [index, read] of WAYS.entries()) took[index]?.push(await usOf(read))
const [called, requested] = took.map(median) as [number, number]
console.log(
  `bff.as(grant).meetings() ${called.toFixed(1)} µs, GET /meetings over loopback ${requested.toFixed(1)} µs`,
)
const recorder = createRecorder()
recorder.hold('a request to its own server beside bff.as(grant)', requested / called, { atLeast: 10 })
recorder.end()
process.exit()
