// oxlint-disable-next-line typescript/triple-slash-reference -- an ambient module has no import
/// <reference path="./cloudflare.d.ts" />
import * as workers from 'cloudflare:workers'
import type { FetchHandler } from '../hosts/fetch.js'
import { MAX_BODY_BYTES } from '../request/IncomingRequest.js'
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
  return createFetchBff(options, createFetchTransport, {
    // The runtime ends what a request has begun, timers included, as soon as it is answered. Others may wait
    // for it.
    keepAwake: (work) => workers.waitUntil?.(work),
    around: afterBody,
  })
}

/** The longest wait for a body that is not needed. */
const LINGER_MS = 1_000

/**
 * Reads a short body that the BFF has not read, as that of a request that the gate refuses. A Worker that
 * passes a request on to a Durable Object fails if the object answers before.
 */
const afterBody =
  <TRequest extends Request>(fetch: FetchHandler<TRequest>): FetchHandler<TRequest> =>
  async (request) => {
    const response = await fetch(request)
    const length = Number(request.headers.get('content-length') ?? Infinity)
    if (!request.body || request.bodyUsed || length > MAX_BODY_BYTES) return response
    const late = new Promise<void>((resolve) => setTimeout(resolve, LINGER_MS))
    await Promise.race([request.arrayBuffer().catch(() => undefined), late])
    return response
  }
