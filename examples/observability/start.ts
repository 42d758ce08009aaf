import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { sendLoad } from './sendLoad.js'
import { PARTS, type Ports, startPrograms } from './startPrograms.js'

/** Everything on one machine. A line on the terminal breaks a part, or mends it. */
const PORTS: Ports = {
  service: 3000,
  redis: 6390,
  instances: [
    { bff: 3001, metrics: 9464 },
    { bff: 3002, metrics: 9465 },
  ],
  // 9090 is its usual port. The package of Debian starts one there.
  prometheus: 9095,
}

// The programs end with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit())

const programs = await startPrograms(PORTS, join(import.meta.dirname, 'prometheus.yml'))
const load = sendLoad(PORTS.instances.map(({ bff }) => `http://127.0.0.1:${bff}/api/voice`))

console.log(`Alerts:   http://localhost:${PORTS.prometheus}/alerts
Metrics:  http://localhost:9464/metrics and http://localhost:9465/metrics
Enter one of ${PARTS.join(', ')}, load, pages to break it, again to mend it. Ctrl+C ends all.`)

const broken = new Set<string>()
for await (const line of createInterface(process.stdin)) {
  const part = [...PARTS, 'load' as const, 'pages' as const].find((name) => name === line.trim())
  if (part === undefined) continue
  const breaks = !broken.delete(part)
  if (breaks) broken.add(part)
  if (part === 'load') load.users = breaks ? 30 : 0
  else if (part === 'pages') load.slowPages = breaks ? 1 : 0
  else await (breaks ? programs.stop(part) : programs.start(part))
  console.log(`${part} is ${breaks ? 'broken' : 'as before'}.`)
}
