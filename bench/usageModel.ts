import { runUsageModel } from '../packages/bff/src/usage/usageModel.test.kit.js'

/*
 * Explores the model of a user's minutes: pages, instances, clocks and a Redis in virtual time. Prints every
 * seed that breaks a rule, and exits with 1 if there is one. `npm run usage-model -w @stagepass/bench --
 * --seeds 10000 --from 1`.
 */

const argument = (name: string, fallback: number): number => {
  const index = process.argv.indexOf(`--${name}`)
  return index < 0 ? fallback : Number(process.argv[index + 1])
}

const seeds = argument('seeds', 10_000)
const from = argument('from', 1)
const startedAt = performance.now()
const total = { minted: 0, reported: 0, refused: 0 }
let broken = 0

for (let seed = from; seed < from + seeds; seed += 1) {
  try {
    const { minted, reported, refused } = await runUsageModel(seed)
    total.minted += minted
    total.reported += reported
    total.refused += refused
  } catch (error) {
    broken += 1
    console.log(String(error))
  }
}

const seconds = Math.round((performance.now() - startedAt) / 1_000)
console.log(
  `${seeds} seeds from ${from} in ${seconds} s: ${total.minted} tokens, ${total.reported} reports that counted, ` +
    `${total.refused} refused mints. ${broken} seeds broke a rule.`,
)
process.exitCode = broken > 0 ? 1 : 0
