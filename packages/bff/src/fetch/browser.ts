import { createFetchTransport } from '../transport/fetch.js'
import { type Bff, type BffOptions, createFetchBff } from './createFetchBff.js'

export type { Bff, BffOptions } from './createFetchBff.js'
export type { FetchHandler, FetchHandlers } from '../hosts/fetch.js'
export type * from '../types.js'

/**
 * Creates what holds the keys, for hosts that speak `Request` and `Response`: Next.js, Hono, React Router,
 * Bun, Deno, Cloudflare Workers. `docs/hosts.md` has the lines for each host. Throws a `TypeError` that says
 * what to do if an option is missing or wrong.
 */
export function createBff<TRequest extends Request = Request>(options: BffOptions<TRequest>): Bff<TRequest> {
  return createFetchBff(options, createFetchTransport)
}
