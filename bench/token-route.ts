import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'

/*
 * Requests per second of the token route beside three other ways to do its work. Upstream and contenders have a process each; they take turns,
 * round by round, so that a slow moment of the machine hits all of them; what counts is the median.
 */

const CONNECTIONS = 50
const ROUNDS = Number(process.env['ROUNDS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 3)

const NAMES = {
  stagepass: 'Stagepass',
  handWritten: 'hand-written',
  proxy: 'http-proxy-middleware',
  bare: 'bare node:http + undici',
}
type Name = keyof typeof NAMES
const TARGETS: Record<Exclude<Name, 'stagepass'>, number> = { handWritten: 2, proxy: 1, bare: 0.5 }

const body = JSON.stringify({ usage_type: 'stt', expiration_ttl: 30 })
const headers = { 'content-type': 'application/json', 'x-stagepass': '1', 'sec-fetch-site': 'same-origin' }

async function start(script: string, args: string[] = []): Promise<{ child: ChildProcess; url: string }> {
  const child = fork(new URL(script, import.meta.url), args, {
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [port] = (await once(child, 'message')) as [number]
  return { child, url: `http://127.0.0.1:${port}` }
}

async function measure(url: string, seconds: number): Promise<number> {
  const result = await autocannon({
    url: `${url}/session-token`,
    method: 'POST',
    connections: CONNECTIONS,
    duration: seconds,
    headers,
    body,
  })
  if (result.non2xx + result.errors > 0)
    throw new Error(
      `Failed to measure ${url}: ${result.non2xx} answers were no 200, ${result.errors} failed.`,
    )
  return result.requests.total / result.duration
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const upstream = await start('./token-route/upstream.ts')
const names = Object.keys(NAMES) as Name[]
const running = await Promise.all(
  names.map(async (name) => ({ name, ...(await start('./token-route/contender.ts', [name, upstream.url])) })),
)
const rates: Record<Name, number[]> = { stagepass: [], handWritten: [], proxy: [], bare: [] }
try {
  for (const { url } of running) await measure(url, 2) // warm up
  for (let round = 0; round < ROUNDS; round++)
    for (const { name, url } of round % 2 === 0 ? running : running.toReversed())
      rates[name].push(await measure(url, SECONDS))
} finally {
  for (const { child } of [upstream, ...running]) child.kill()
}

console.log(`token route, ${CONNECTIONS} connections, median of ${ROUNDS} rounds of ${SECONDS} s`)
for (const name of names)
  console.log(`  ${NAMES[name].padEnd(26)} ${median(rates[name]).toFixed(0).padStart(7)} requests/s`)
for (const [name, target] of Object.entries(TARGETS)) {
  const ratio = median(rates.stagepass) / median(rates[name as Name])
  const verdict = ratio >= target ? 'holds' : 'MISSED'
  console.log(
    `ratio to ${NAMES[name as Name].padEnd(26)} ${ratio.toFixed(2)}  (at least ${target}: ${verdict})`,
  )
}
