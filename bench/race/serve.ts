import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Listens on a free port of loopback, tells the parent process which, and how much CPU it has used whenever it is asked. */
export function serve(listener: RequestListener): void {
  const server = createServer({ keepAliveTimeout: 60_000 }, listener)
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send?.({ cpuUs: user + system })
  })
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
}
