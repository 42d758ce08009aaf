import { readdirSync } from 'node:fs'
import { provideServers } from './programs.js'
import { run, say } from './run.js'

/*
 * Runs the tests of the budget on real topologies: single server, Sentinel and Cluster, each with every
 * client, with Redis and with Valkey. A server that is not installed is named in the last lines: its tests
 * did not run. Valkey runs without those of the clock. Arguments are passed on to vitest.
 */

/** Valkey of Debian ends as it starts, if faketime is preloaded. */
const WITHOUT_CLOCK = readdirSync('packages/budget/src/topologies').filter((file) =>
  /^(?!clock\.).*\.topologies\.test\.ts$/.test(file),
)

const servers = await provideServers()
const results: string[] = []
for (const [name, path] of Object.entries(servers)) {
  if (path === undefined) {
    results.push(`${name}: not run here`)
    continue
  }
  say(`Topologies with ${path}`)
  const files = name === 'valkey' ? WITHOUT_CLOCK : []
  const arguments_ = ['vitest', 'run', '--project', 'topologies', ...files, ...process.argv.slice(2)]
  const code = await run('npx', arguments_, { REDIS_SERVER_PATH: path, SLOW_TESTS: 'yes' })
  results.push(`${name}: ${code === 0 ? 'passed' : 'failed'}`)
  if (code !== 0) process.exitCode = 1
}
console.log(`\n${results.join('\n')}`)
