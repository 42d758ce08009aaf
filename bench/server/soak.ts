import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

/*
 * Two runs of the program:
 *
 *   soak.ts --seconds 300   200 requests a second of 500 users: the memory of the process, every ten seconds
 *   soak.ts --kills 1000    the team's server is killed 1000 times, under load: every request gets a response
 */

const option = (name: string): number | undefined => {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : Number(process.argv[at + 1])
}
const seconds = option('--seconds')
const kills = option('--kills')

// Below the system's ports for connections, so that the team's server can start again on the same port.
const teamPort = 20_000 + (process.pid % 10_000)

const TEAM = `require('http').createServer((q, s) => s.end(JSON.stringify({ user: (q.headers.cookie || 'x').slice(5) }))).listen(${teamPort}, '127.0.0.1', () => console.log('ready'))`
const startTeam = async (): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['-e', TEAM], { stdio: ['ignore', 'pipe', 'inherit'] })
  if (child.stdout) await once(child.stdout, 'data')
  return child
}

let team = await startTeam()
const upstream = fork(new URL('../token-route/upstream.ts', import.meta.url))
const [{ port: upstreamPort }] = (await once(upstream, 'message')) as [{ port: number }]
const program = fork(new URL('./contender.ts', import.meta.url), [
  'fromUrl',
  `http://127.0.0.1:${teamPort}`,
  `http://127.0.0.1:${upstreamPort}`,
])
const [{ port }] = (await once(program, 'message')) as [{ port: number }]

const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const statuses = new Map<number | string, number>()
let longestMs = 0
const load = { open: 0 }

async function mint(user: number): Promise<void> {
  const startedAt = performance.now()
  load.open += 1
  let outcome: number | string
  try {
    const sent = request({
      port,
      host: '127.0.0.1',
      agent,
      method: 'POST',
      path: '/api/voice/session-token',
      headers: {
        'content-type': 'application/json',
        'x-stagepass': '1',
        'sec-fetch-site': 'same-origin',
        cookie: `user=u${user}`,
      },
    })
    sent.end('{"usage_type":"stt"}')
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
    outcome = response.statusCode
  } catch (error) {
    outcome = String(error)
  }
  load.open -= 1
  longestMs = Math.max(longestMs, performance.now() - startedAt)
  statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1)
}

const memory = (): string => {
  const status = readFileSync(`/proc/${program.pid}/status`, 'utf8')
  return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024)} MiB`
}

let users = 0
const timer = setInterval(() => {
  for (let at = 0; at < 10; at += 1) void mint((users += 1) % 500)
}, 50)

if (kills !== undefined) {
  for (let kill = 0; kill < kills; kill += 1) {
    const gone = once(team, 'exit')
    team.kill('SIGKILL')
    await gone
    team = await startTeam()
    if ((kill + 1) % 100 === 0) console.log(`${kill + 1} kills`, Object.fromEntries(statuses))
  }
} else {
  for (let at = 0; at < (seconds ?? 60); at += 10) {
    await new Promise((next) => setTimeout(next, 10_000))
    console.log(`${at + 10} s: ${memory()}`)
  }
}
clearInterval(timer)
while (load.open > 0) await new Promise((next) => setTimeout(next, 10))
console.log({
  kills,
  memory: memory(),
  longestMs: Math.round(longestMs),
  statuses: Object.fromEntries(statuses),
  unanswered: load.open,
})
for (const child of [team, upstream, program]) child.kill('SIGKILL')
agent.destroy()
