import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/** A bundler may load this module more than once in a process. */
const kept = globalThis as { remoteAddresses?: AsyncLocalStorage<string | undefined> }

/** From now on, Node says of each request from which address it came: the framework does not pass this on. */
export function watchRemoteAddresses(): void {
  if (kept.remoteAddresses) return
  const addresses = new AsyncLocalStorage<string | undefined>()
  kept.remoteAddresses = addresses
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { readonly request: IncomingMessage }
    addresses.enterWith(request.socket.remoteAddress)
  })
}

/** The other end of the socket of the request that is being answered. No header can change it. */
export const remoteAddress = (): string | undefined => kept.remoteAddresses?.getStore()
