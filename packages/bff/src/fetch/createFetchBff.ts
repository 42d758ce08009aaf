import type { Transport } from '@stagepass/contract'
import { type BffMethods, createCore } from '../createCore.js'
import { createFetchHandler, createHandlers, type FetchHandler, type FetchHandlers } from '../hosts/fetch.js'
import type { CommonOptions } from '../settings/BffOptions.js'
import type { Settings } from '../settings/readOptions.js'

/** Options of `createBff`. All are checked at creation; a bad value throws an error that says what to do. */
export interface BffOptions<TRequest extends Request = Request> extends CommonOptions<TRequest> {}

/**
 * A BFF for hosts that speak `Request` and `Response`. `TRequest` is the request that `authorize` takes, such
 * as a `NextRequest`.
 */
export interface Bff<TRequest extends Request = Request> extends BffMethods {
  /** Answers a request. It never rejects. */
  readonly fetch: FetchHandler<TRequest>
  /**
   * `fetch` under the name of each method: `export const { GET, HEAD, POST, OPTIONS } = bff.handlers` in a
   * `route.ts` of Next.js.
   */
  readonly handlers: FetchHandlers<TRequest>
}

/** What a runtime needs. */
interface RuntimeNeeds {
  /** Gets, with each request, what has to be finished before the runtime may forget the request. */
  readonly keepAwake?: (work: Promise<void>) => void
  /** Does something before or after each request. */
  readonly around?: <TRequest extends Request>(fetch: FetchHandler<TRequest>) => FetchHandler<TRequest>
}

export function createFetchBff<TRequest extends Request>(
  options: BffOptions<TRequest>,
  createTransport: (settings: Settings) => Transport,
  { keepAwake, around = (fetch) => fetch }: RuntimeNeeds = {},
): Bff<TRequest> {
  const core = createCore(options, createTransport)
  const handler = createFetchHandler<TRequest>((request) => {
    const answering = core.handle(request)
    keepAwake?.(answering.then(() => core.idle()))
    return answering
  })
  const fetch = around(handler)
  return { fetch, handlers: createHandlers(fetch), ...core.methods }
}
