import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Listens on a free port of loopback, tells the parent process which, and how much CPU it has used whenever
 * it is asked.
 */
export function serve(listener: RequestListener): void {
  // Longer than a contender waits for its turn: a proxy answers 504 if it sends a request while the upstream
  // closes the idle connection.
  const server = createServer({ keepAliveTimeout: 600_000 }, listener)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuUs: user + system })
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}
