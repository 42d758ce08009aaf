import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Returns ports that are free now, for programs that cannot choose a port themselves. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, host))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}

export async function freePort(host?: string): Promise<number> {
  const [port = 0] = await freePorts(1, host)
  return port
}
