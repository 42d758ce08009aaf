import { providePrometheus, providePrograms } from './programs.js'
import { run } from './run.js'

/**
 * Checks the alert rules of examples/observability with Prometheus' own tool, runs their tests, and has them
 * fire in a real Prometheus.
 */
const { prometheus, promtool } = await providePrometheus()
const env = { ...(await providePrograms()), PROMETHEUS_PATH: prometheus, SLOW_TESTS: 'yes' }
const FOLDER = 'examples/observability'

const codes = [
  await run(promtool, ['check', 'config', `${FOLDER}/prometheus.yml`]),
  await run(promtool, ['test', 'rules', `${FOLDER}/alerts.test.yml`]),
  await run('npx', ['vitest', 'run', '--project', 'alerts'], env),
]
process.exitCode = codes.every((code) => code === 0) ? 0 : 1
