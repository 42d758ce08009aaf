// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no import
/// <reference path="./cloudflare.d.ts" />
import * as workers from 'cloudflare:workers'
import type { FetchHandler } from './createFetchHandler.js'
import { MAX_TOKEN_BODY_BYTES } from '../../front/http/IncomingRequest.js'
import { createFetchTransport } from '../../upstream/transport/fetch.js'
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
  return createFetchBff(options, createFetchTransport, {
    // When a request is answered, the runtime stops all of its work, including timers. Other requests may
    // still need that work.
    keepAwake: (work) => workers.waitUntil?.(work),
    around: afterBody,
  })
}

/** The longest wait for the rest of an unread body. */
const LINGER_MS = 1_000

/**
 * Reads a short body that the BFF did not read, for example of a request that the gate refused. A Worker that
 * forwards a request to a Durable Object fails if the object answers before the body was read.
 */
const afterBody =
  <TRequest extends Request>(fetch: FetchHandler<TRequest>): FetchHandler<TRequest> =>
  async (request) => {
    const response = await fetch(request)
    const length = Number(request.headers.get('content-length') ?? Infinity)
    if (!request.body || request.bodyUsed || length > MAX_TOKEN_BODY_BYTES) return response
    const late = new Promise<void>((resolve) => setTimeout(resolve, LINGER_MS))
    await Promise.race([request.arrayBuffer().catch(() => undefined), late])
    return response
  }
