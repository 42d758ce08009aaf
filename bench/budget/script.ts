import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRedis } from '@stagepass/testing'
import { createClient } from 'redis'
import { budgetRules } from '../../packages/budget/src/BudgetOptions.js'
import { BUDGET_SCRIPT } from '../../packages/budget/src/redis/budgetScript.js'

/*
 * What one call of the budget's script costs Redis, beside the script of another revision: microseconds of
 * Redis' own time, with all slots in flight and 0, 50 or 200 requests waiting. The two take turns. Without
 * `--beside` it is the last script that was written by hand. Ends with 1 if a call costs more than 1.2 times
 * as much.
 *
 * `npm run budget-script -w @stagepass/bench -- --beside bb25dfd`
 */

const index = process.argv.indexOf('--beside')
const revision = index < 0 ? 'bb25dfd' : (process.argv[index + 1] ?? '')
const ROUNDS = 30
const CALLS = 100
const INSTANCES = 4
const MOST_TIMES = 1.2
// Nobody is late or leaves while this runs.
const rules = JSON.stringify({
  ...budgetRules({
    limit: 25,
    windowMs: 5_000,
    timeoutMs: 600_000,
    maxWaiting: 200,
    maxWaitingPerUser: 200,
  }),
  lateMs: 3_600_000,
})

async function scriptOf(wanted: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'stagepass-script-'))
  try {
    const root = execFileSync('git', ['rev-parse', '--show-toplevel'], { encoding: 'utf8' }).trim()
    const archive = execFileSync('git', ['archive', wanted, 'packages/budget/src'], { cwd: root })
    mkdirSync(folder, { recursive: true })
    execFileSync('tar', ['x', '-C', folder], { input: archive })
    const path = join(folder, 'packages/budget/src/redis/budgetScript.ts')
    return ((await import(path)) as { BUDGET_SCRIPT: string }).BUDGET_SCRIPT
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await using server = await startRedis()
const redis = await createClient({ socket: { path: server.socketPath, tls: false } }).connect()
const contenders = await Promise.all(
  [BUDGET_SCRIPT, await scriptOf(revision)].map(async (script) => ({
    sha: await redis.scriptLoad(script),
    best: Infinity,
  })),
)
let calls = 0

/** In the form of today, and in that of scripts that take one action a call. */
async function call(sha: string, action?: object): Promise<void> {
  calls += 1
  const instance = `instance ${calls % INSTANCES}`
  const sender = { instance, epoch: '', seen: 0, newEpoch: 'epoch', after: 'reply', silentMs: 0, sentAt: 0 }
  const args = [
    rules,
    JSON.stringify({ ...sender, type: 'poll', ...action, actions: action ? [action] : [] }),
    '3600000',
  ]
  await redis.evalSha(sha, { keys: [`{bench}:${sha}`], arguments: args })
}

const ask = (id: string, user: number): object => ({
  type: 'ask',
  id,
  user: `22 letters, as digests${user}`,
  cost: 1_000,
  background: false,
  withinMs: 600_000,
})

/**
 * Its account as it was when all were asked for: 25 in flight, each of a user that comes alone and may burst,
 * and these in the queue.
 */
async function prepare(sha: string, waiting: number): Promise<string> {
  await redis.del(`{bench}:${sha}`)
  for (let slot = 0; slot < 25; slot += 1) await call(sha, ask(`slot ${slot}`, slot))
  for (let waiter = 0; waiter < waiting; waiter += 1)
    await call(sha, ask(`instance name:${waiter}`, waiter % 10))
  return (await redis.get(`{bench}:${sha}`)) ?? ''
}

async function measure(waiting: number): Promise<void> {
  const states: string[] = []
  for (const contender of contenders) {
    contender.best = Infinity
    states.push(await prepare(contender.sha, waiting))
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, contender] of contenders.entries()) {
      await redis.sendCommand(['CONFIG', 'RESETSTAT'])
      for (let turn = 0; turn < CALLS; turn += 1) {
        await redis.set(`{bench}:${contender.sha}`, states[index] ?? '')
        await call(contender.sha, waiting === 0 ? undefined : ask(`more ${calls}`, turn % 10))
      }
      const stats = await redis.info('commandstats')
      const each = Number(/cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(stats)?.[1])
      contender.best = Math.min(contender.best, each)
    }
  }
  const [now = 0, before = 1] = contenders.map(({ best }) => best)
  console.log(
    `${String(waiting).padStart(3)} waiting: ${now} µs a call, ${before} µs at ${revision}, ratio ${(now / before).toFixed(2)}; state ${states[0]?.length} bytes`,
  )
  if (now > MOST_TIMES * before) process.exitCode = 1
}

await measure(0)
await measure(50)
await measure(200)
await redis.close()
