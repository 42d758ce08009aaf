import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** Another program listens on a port of this address. */
export async function takePort(host: string): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    async [Symbol.asyncDispose]() {
      await once(server.close(), 'close')
    },
  }
}
