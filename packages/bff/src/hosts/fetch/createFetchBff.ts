import type { Transport } from '@stagepass/contract'
import { createDesk } from '../../desk/createDesk.js'
import { type BffMethods, createAs } from '../../front/createAs.js'
import { createHandler } from '../../front/createHandler.js'
import {
  createFetchHandler,
  createHandlers,
  type FetchHandler,
  type FetchHandlers,
} from './createFetchHandler.js'
import type { CommonOptions } from '../../settings/BffOptions.js'
import type { Settings } from '../../settings/readOptions.js'

/** Options of `createBff`. All are checked at creation. A wrong value throws an error with a remedy. */
export interface BffOptions<TRequest extends Request = Request> extends CommonOptions<TRequest> {}

/**
 * A BFF for hosts with `Request` and `Response`. `TRequest` is the request that `authorize` takes, such as a
 * `NextRequest`.
 */
export interface Bff<TRequest extends Request = Request> extends BffMethods {
  /** Answers a request. Never rejects. */
  readonly fetch: FetchHandler<TRequest>
  /**
   * `fetch` under the name of each method, for a `route.ts` of Next.js: `export const { GET, HEAD, POST,
   * OPTIONS } = bff.handlers`.
   */
  readonly handlers: FetchHandlers<TRequest>
}

/** Special needs of a runtime. */
interface RuntimeNeeds {
  /**
   * Called for each request, and each call of `as`, with the work that must finish before the runtime may end
   * the request. Such a runtime allows no connections and no random numbers before the first request.
   */
  readonly keepAwake?: (work: Promise<void>) => void
  /** Wraps the handler, to act before or after each request. */
  readonly around?: <TRequest extends Request>(fetch: FetchHandler<TRequest>) => FetchHandler<TRequest>
}

export function createFetchBff<TRequest extends Request>(
  options: BffOptions<TRequest>,
  createTransport: (settings: Settings) => Transport,
  { keepAwake, around = (fetch) => fetch }: RuntimeNeeds = {},
): Bff<TRequest> {
  const desk = createDesk(options, createTransport)
  if (!keepAwake) desk.open()
  const handle = createHandler(desk)
  const handler = createFetchHandler<TRequest>((request) => {
    const answering = handle(request)
    keepAwake?.(answering.then(() => desk.idle()))
    return answering
  })
  const fetch = around(handler)
  return { fetch, handlers: createHandlers(fetch), ...desk.methods, as: createAs(desk, keepAwake) }
}
