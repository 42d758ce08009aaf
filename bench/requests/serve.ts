import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Listens on a free port of loopback, and reports the port to the parent process. On request it reports its
 * CPU time.
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
