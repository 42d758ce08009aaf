import { networkInterfaces } from 'node:os'

/**
 * An IPv4 address of this machine on its network. A request to it comes from there too, as one of another
 * machine does.
 */
export function outerAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const outer = addresses.find(({ family, internal }) => family === 'IPv4' && !internal)
  if (outer === undefined)
    throw new Error(
      'Failed to find an address of this machine on a network: it has only loopback. Connect it, or run this in a container with a network.',
    )
  return outer.address
}
