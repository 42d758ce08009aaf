import * as fc from 'fast-check'
import { checkModel } from '../../packages/react/src/stream/streamModel.test.kit.js'
import { readOptions } from '../../scripts/options.js'

/*
 * Runs the model of a stream many times: random sequences of sends, drops, refusals, expiries, sleeps, clock
 * jumps, mounts and unmounts, sign-ins and sign-outs, in virtual time. `npm run stream-model -w
 * @stagepass/bench -- --runs 20000 --seed 1`
 */
const { values } = readOptions('npm run stream-model -w @stagepass/bench -- [--runs 20000] [--seed 1]', {
  options: { runs: { type: 'string', default: '20000' }, seed: { type: 'string' } },
})

const reached = new Map<string, number>()
const count = (what: string, by = 1): void => void reached.set(what, (reached.get(what) ?? 0) + by)

const startedAt = performance.now()
const details = await checkModel({
  runs: Number(values.runs),
  seed: values.seed === undefined ? undefined : Number(values.seed),
  onHeld({ service, events }, changedWhile) {
    count('handshakes', service.handshakes.length)
    count('connections', service.connections.length)
    count(
      'messages arrived',
      service.connections.reduce((sum, { received }) => sum + received.length, 0),
    )
    count('checks by the BFF', service.checks)
    for (const { type } of events) count(type)
    for (const state of changedWhile) count(`sequences with a change of user while ${state}`)
  },
})

const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
console.log(`${details.numRuns} sequences in ${seconds} s, seed ${details.seed}`)
console.table(Object.fromEntries([...reached].toSorted(([, a], [, b]) => b - a)))
if (details.failed) {
  console.error(String(details.errorInstance))
  console.error(fc.defaultReportMessage(details))
  process.exitCode = 1
} else {
  console.log('All invariants held.')
}
