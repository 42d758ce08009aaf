import { startRedis } from '@stagepass/testing'
import { afterAll, expect, it } from 'vitest'
import { noCounts, runSessions } from './runSessions.test.kit.js'

const SEEDS = Number(process.env.SEEDS ?? 1_000)
/** The first seed, to run one again. */
const FIRST = Number(process.env.SEED ?? 1)

const server = await startRedis()
const client = await server.connect()
afterAll(() => server.close())

it('never a lease above the maximum, none lost for good, no place lost, and no page waits for one that does not ask', async () => {
  const total = noCounts()
  for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
    const counts = await runSessions(seed, client)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name]
  }
  // Each of these happens often.
  const often = SEEDS < 100 ? -1 : SEEDS / 4
  for (const count of Object.values(total)) expect(count).toBeGreaterThan(often)
})
