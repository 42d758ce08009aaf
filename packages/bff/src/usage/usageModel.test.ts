import { expect, it } from 'vitest'
import { runUsageModel } from './usageModel.test.kit.js'

const SEEDS = 300 * Number(process.env.SEED_FACTOR ?? 1)

it('S47 the model holds over all seeds', async () => {
  const total = { minted: 0, reported: 0, refused: 0, unanswered: 0, killed: 0, replaced: 0 }
  for (let seed = 1; seed <= SEEDS; seed++) {
    const counts = await runUsageModel(seed)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name]
  }
  // Each of these happens often.
  for (const count of Object.values(total)) expect(count).toBeGreaterThan(SEEDS / 2)
}, 600_000)
