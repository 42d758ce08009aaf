import { readFileSync } from 'node:fs'
import { startRedis } from '@stagepass/testing'
import { createClient } from 'redis'
import { expect, it } from 'vitest'
import type { BudgetOp } from '../core/protocol.js'
import { parseReply } from '../redis/parseReply.js'
import { type RedisEval, redisEval } from '../redis/redisClient.js'
import { BUSY, print } from './failover.test.kit.js'
import { startLoad } from './startLoad.test.kit.js'

/* Two releases use one state during a deploy. The script of the release before is a file: the one of the time when a call had one action. */

const SCRIPT_BEFORE = readFileSync(`${import.meta.dirname}/releaseBefore.test.lua.txt`, 'utf8')

/** The calls of this release with the script of the release before: one for each action. */
const asBefore =
  (run: RedisEval): RedisEval =>
  async (_script, keys, [rules = '', opJson = '', ...rest]) => {
    const { actions, own: _own, ...sender } = JSON.parse(opJson) as BudgetOp
    const all = {
      granted: [] as string[],
      shared: [] as string[],
      notices: [] as unknown[],
      refused: [] as unknown[],
    }
    let last: unknown
    for (const action of actions.length > 0 ? actions : [{ type: 'poll' }]) {
      const op = JSON.stringify({ ...sender, ...action })
      const reply = parseReply(await run(SCRIPT_BEFORE, keys, [rules, op, ...rest]))
      all.granted.push(...reply.granted)
      all.shared.push(...reply.shared)
      all.notices.push(...reply.notices)
      // It refused one request, without its id.
      const refused: unknown = JSON.parse(JSON.stringify(reply)).refused
      if (refused && !Array.isArray(refused)) all.refused.push({ ...refused, ...action })
      last = reply
    }
    return JSON.stringify({ ...(last as object), ...all })
  }

it('S42 two releases share one state while one takes the place of the other, and back', async () => {
  await using redis = await startRedis()
  const client = await createClient({ socket: { path: redis.socketPath, tls: false } }).connect()
  const now = redisEval(client)
  const before = asBefore(now)
  const runs = [before, before, before, before]
  const load = await startLoad(
    runs.map(
      (_, index): RedisEval =>
        (...call) =>
          (runs[index] ?? now)(...call),
    ),
  )
  try {
    await load.more(2 * BUSY)
    for (const [deployed, run] of [
      [2, now],
      [4, now],
      [3, before],
      [4, before],
    ] as const) {
      runs.fill(run, 0, deployed)
      const at = performance.now()
      await load.more(BUSY)
      while (load.served(at).length < runs.length) await load.more(1)
      print(`${deployed} instances with ${run === now ? 'this release' : 'the release before'}`, load)
    }
    expect(load.limited()).toBe(0)
    expect(load.events.map(({ type }) => type)).not.toContain('budget.state-lost')
  } finally {
    await load[Symbol.asyncDispose]()
    client.destroy()
  }
})
