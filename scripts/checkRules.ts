import { providePromtool } from './programs.js'
import { run } from './run.js'

/** Checks the alert rules of examples/observability with Prometheus' own tool, and runs their tests. */
const promtool = await providePromtool()
const FOLDER = 'examples/observability'

const codes = [
  await run(promtool, ['check', 'config', `${FOLDER}/prometheus.yml`]),
  await run(promtool, ['test', 'rules', `${FOLDER}/alerts.test.yml`]),
]
process.exitCode = codes.every((code) => code === 0) ? 0 : 1
