import type { IncomingMessage } from 'node:http'
import { type BudgetGauge, createBudget } from '@stagepass/budget'
import { MEETINGS_RATE } from '@stagepass/contract'
import { createListener } from './context/createListener.js'
import { createLog } from './context/createLog.js'
import { createBreaker } from './gate/createBreaker.js'
import { createLimits } from './gate/limits.js'
import {
  createFetchHandler,
  createRouteHandlers,
  type FetchHandler,
  type RouteHandlers,
} from './hosts/fetch.js'
import { createNodeHandler, type NodeHandler } from './hosts/node.js'
import { createMeetingsReader } from './meetings/createMeetingsReader.js'
import { createPageCache, type SavedReads } from './meetings/createPageCache.js'
import { createSharedPages } from './meetings/createSharedPages.js'
import { createInFlight } from './request/createInFlight.js'
import { createHandler } from './routes/createHandler.js'
import { healthResponse } from './routes/health.js'
import type { BffOptions } from './settings/BffOptions.js'
import { readOptions } from './settings/readOptions.js'
import { createUpstream } from './upstream/createUpstream.js'

/** The longest time for Redis to count a request or to find a page, and at most a small part of the deadline. */
const REDIS_TIMEOUT_MS = 500

/** Pages stay in Redis at least for this long, so that the instances that wait for one find it. */
const MIN_SHARED_MS = 2_000

type NeedsFetchRequest = 'Write createBff<Request>({ … }): its authorize must take a Request.'

/** What only a BFF has whose `authorize` takes the `Request` of its host. For any other the type is a sentence that says so. */
type ForFetch<TRequest, TValue> = [TRequest] extends [Request]
  ? TValue
  : Request extends TRequest
    ? TValue
    : NeedsFetchRequest

/** The `Request` of a host may have more properties, such as a `NextRequest`. */
type FetchInput<TRequest> = [TRequest] extends [Request] ? TRequest : Request

/**
 * A middleware function for Express and Connect, and a request listener for `node:http` and `node:http2`. `TRequest` is the request that
 * `authorize` takes.
 */
export interface Bff<TRequest = IncomingMessage> extends AsyncDisposable, NodeHandler<TRequest> {
  /** The same for hosts that speak `Request` and `Response`: Next.js, Hono, React Router, Bun, Deno. It never rejects. */
  readonly fetch: ForFetch<TRequest, FetchHandler<FetchInput<TRequest>>>
  /** `fetch` under the name of each method: `export const { GET, POST, … } = bff.routeHandlers` in a `route.ts` of Next.js. */
  readonly routeHandlers: ForFetch<TRequest, RouteHandlers<FetchInput<TRequest>>>
  /**
   * Stops accepting work: new requests get SHUTTING_DOWN, `/health` answers 503, and requests that wait for a slot are refused. Requests in
   * flight may finish within `deadlineMs`. Then the upstream connections are closed. Returns the same promise on every call.
   */
  close(): Promise<void>
  /** State of the account's budget, and what was saved of it; for dashboards. */
  gauge(): BffGauge
}

export interface BffGauge extends BudgetGauge {
  readonly saved: SavedReads
  /** Requests that were received and not yet answered. */
  readonly inFlight: number
}

/**
 * Creates the function that holds the keys. Mount it under a path of its own: `app.use('/api/voice', createBff({ … }))`. No body parser is
 * needed; one in front of it does no harm. `docs/hosts.md` has the lines for each host. Throws a `TypeError` that says what to do if an option
 * is missing or wrong.
 */
export function createBff<TRequest = IncomingMessage>(options: BffOptions<TRequest>): Bff<TRequest> {
  const settings = readOptions(options)
  const { platform, deadlineMs, redis } = settings
  const { clock, random } = platform
  const { account, reserve, strict, cacheMs, sharedSecrets } = settings.meetings
  const emit = createListener(settings.onEvent, settings.logger && createLog(settings.logger, clock))
  const { burst, perSecond, windowMs } = MEETINGS_RATE
  const budget = createBudget({
    limit: burst,
    windowMs,
    perSecond,
    redis,
    account,
    reserve,
    strict,
    timeoutMs: deadlineMs,
    clock,
    random,
    onEvent: emit,
  })
  const upstream = createUpstream(settings, budget, emit)
  const breaker = createBreaker(clock, Math.min(REDIS_TIMEOUT_MS, deadlineMs / 4))
  const countRequest = createLimits(settings, breaker)
  const keepMs = Math.max(2 * cacheMs, MIN_SHARED_MS)
  const shared =
    redis && sharedSecrets.length > 0
      ? createSharedPages({ redis, account, secrets: sharedSecrets, keepMs, breaker, emit })
      : undefined
  const pages = createPageCache({ cacheMs, deadlineMs, clock, budget, shared })
  const readMeetings = createMeetingsReader(upstream, pages, sharedSecrets)
  const inFlight = createInFlight(deadlineMs, platform, emit)
  let closing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    const startedAt = clock.now()
    emit?.({ type: 'drain.started', inFlight: inFlight.count })
    // Refuse the waiters first: otherwise the drain would wait for them.
    await budget.close()
    const aborted = await inFlight.drain(deadlineMs)
    pages.close()
    await upstream.close()
    emit?.({ type: 'drain.finished', durationMs: clock.now() - startedAt, aborted })
  }

  const handle = createHandler({
    services: { settings, upstream, readMeetings, countRequest },
    inFlight,
    isClosing: () => closing !== undefined,
    health: () => healthResponse(closing !== undefined, budget.degraded() !== undefined),
  })
  const close = (): Promise<void> => (closing ??= drain())
  const gauge = (): BffGauge => ({ ...budget.gauge(), saved: pages.saved, inFlight: inFlight.count })
  settings.telemetry?.start({ gauge, addressOf: (operation) => upstream.addressOf(operation) })
  const fetch = createFetchHandler(handle)
  // No property `handle` or `set`: Express takes a function that has both for an application.
  const bff = Object.assign(createNodeHandler(handle), {
    fetch,
    routeHandlers: createRouteHandlers(fetch),
    close,
    gauge,
    [Symbol.asyncDispose]: close,
  })
  // What the function takes is what `authorize` takes: the adapters pass it on and look at nothing that only one host has.
  return bff as unknown as Bff<TRequest>
}
