import type { Client } from './Client.js'

/**
 * Creates one thing for each client, at the first call. The client does not import `create`, so an
 * application contains only the code that it uses.
 */
export function perClient<TThing>(create: (client: Client) => TThing): (client: Client) => TThing {
  const made = new WeakMap<Client, { readonly thing: TThing }>()
  return (client) => {
    const found = made.get(client) ?? { thing: create(client) }
    made.set(client, found)
    return found.thing
  }
}
