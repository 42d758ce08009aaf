/**
 * The BFF for hosts with `Request` and `Response`, such as Next.js, Hono and Cloudflare Workers.
 *
 * @module @stagepass/bff/fetch
 */
import { createUndiciTransport } from '../../upstream/transport/undici.js'
import { type Bff, type BffOptions, createFetchBff } from './createFetchBff.js'

export { isBffError } from '../../base/BffError.js'
export type { Bff, BffOptions } from './createFetchBff.js'
export type { FetchHandler, FetchHandlers } from './createFetchHandler.js'
export type * from '../types.js'

/**
 * Creates the BFF, which keeps the keys on the server, for hosts with `Request` and `Response`: Next.js,
 * Hono, React Router, Bun, Deno, Cloudflare Workers. `docs/hosts.md` has the code for each host. If an option
 * is missing or wrong, throws a `TypeError` with a remedy.
 */
export function createBff<TRequest extends Request = Request>(options: BffOptions<TRequest>): Bff<TRequest> {
  return createFetchBff(options, createUndiciTransport)
}
