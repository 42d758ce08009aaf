import { judge } from '../../packages/budget/src/model/judge.test.kit.js'
import { MISFORTUNES, runModel } from '../../packages/budget/src/model/runModel.test.kit.js'

/*
 * Explores the model of the budget: processes, store, network and upstream in virtual time. Prints every seed
 * that breaks the invariant, and exits with 1 if there is one. `npm run budget-model -w @stagepass/bench --
 * --seeds 10000 --from 0`. With `--only 'cut of all'` (or another of `MISFORTUNES`) each misfortune is of
 * that kind.
 */

const argument = (name: string, fallback: number): number => {
  const index = process.argv.indexOf(`--${name}`)
  return index < 0 ? fallback : Number(process.argv[index + 1])
}

const seeds = argument('seeds', 10_000)
const from = argument('from', 0)
const only = MISFORTUNES.find((name) => name === process.argv[process.argv.indexOf('--only') + 1])
const startedAt = performance.now()
let broken = 0
let arrivals = 0
let misfortunes = 0

for (let seed = from; seed < from + seeds; seed += 1) {
  const run = await runModel(seed, 'none', only)
  const wrongs = judge(run)
  for (const wrong of wrongs) console.log(wrong)
  broken += Math.min(1, wrongs.length)
  arrivals += run.arrivals.length
  misfortunes += run.misfortunes.length
  const done = seed - from + 1
  if (done % 500 === 0) {
    const seconds = Math.round((performance.now() - startedAt) / 1_000)
    console.log(`${done} of ${seeds} seeds, ${broken} broken, ${seconds} s`)
  }
}

console.log(
  `${seeds} seeds from ${from}: ${arrivals} requests reached the upstream, ${misfortunes} misfortunes on the way, ` +
    `${broken} seeds broke the invariant.`,
)
process.exitCode = broken === 0 ? 0 : 1
