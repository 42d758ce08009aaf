import { type BudgetGauge, createBudget } from '@stagepass/budget'
import { MEETINGS_RATE, type Transport } from '@stagepass/contract'
import { createListener } from './context/createListener.js'
import { createLog } from './context/createLog.js'
import { createUserNames } from './crypto/userNames.js'
import { createBreaker } from './gate/createBreaker.js'
import { createLimits } from './gate/limits.js'
import { createMeetingsReader } from './meetings/createMeetingsReader.js'
import { createPageCache, type SavedReads } from './meetings/createPageCache.js'
import { createSharedPages } from './meetings/createSharedPages.js'
import { createInFlight, type InFlight } from './request/createInFlight.js'
import { createHandler } from './routes/createHandler.js'
import { healthResponse } from './routes/health.js'
import type { CommonOptions } from './settings/BffOptions.js'
import { readOptions, type Settings } from './settings/readOptions.js'
import { warnOfSecond } from './settings/warnOfSecond.js'
import { createUpstream } from './upstream/createUpstream.js'
import { createUsage } from './usage/createUsage.js'
import { createUsageStore } from './usage/createUsageStore.js'

/**
 * The longest time for Redis to count a request or to find a page, and at most a small part of the deadline.
 */
const REDIS_TIMEOUT_MS = 500

/** Pages stay in Redis at least for this long, so that the instances that wait for one find it. */
const MIN_SHARED_MS = 2_000

/** What every BFF has, whatever its host is. */
export interface BffMethods extends AsyncDisposable {
  /**
   * Stops accepting work: new requests get SHUTTING_DOWN, `/health` answers 503, and requests that wait for a
   * slot are refused. Requests in flight may finish within `deadlineMs`. Then the upstream connections are
   * closed. Returns the same promise on every call.
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
 * A BFF without its host. `createTransport` makes the way out that the runtime has; the option `transport` is
 * used in its place.
 */
export function createCore<TRequest>(
  options: CommonOptions<TRequest>,
  createTransport: (settings: Settings) => Transport,
) {
  const settings = readOptions(options)
  const forget = warnOfSecond(settings)
  const { platform, deadlineMs } = settings
  const { clock, random } = platform
  const { account, reserve, strict, cacheMs, sharedSecrets, baseUrl, wire } = settings.meetings
  const emit = createListener(settings.onEvent, settings.logger && createLog(settings.logger, clock))
  const inFlight = createInFlight(deadlineMs, platform, emit)
  const hold = <TValue>(work: Promise<TValue>): Promise<TValue> => inFlight.hold(work)
  const redis = heldBy(hold, settings.redis)
  const { burst, perSecond, windowMs } = MEETINGS_RATE
  const budget = createBudget({
    limit: burst,
    windowMs,
    perSecond,
    redis,
    account,
    userSecret: settings.userSecret,
    reserve,
    strict,
    timeoutMs: deadlineMs,
    clock,
    random,
    onEvent: emit,
  })
  const transport = settings.transport ?? createTransport(settings)
  const upstream = createUpstream(settings, transport, budget, emit, hold)
  const breaker = createBreaker(clock, Math.min(REDIS_TIMEOUT_MS, deadlineMs / 4))
  const userName = createUserNames(redis !== undefined, settings.userSecret)
  const countRequest = createLimits({ ...settings, redis }, breaker, userName)
  const usage = createUsage({
    ...settings.usage,
    store: createUsageStore({ redis, account, breaker, clock }),
    secret: settings.userSecret,
    userName,
    platform,
    emit,
  })
  const keepMs = Math.max(2 * cacheMs, MIN_SHARED_MS)
  const shared =
    redis && sharedSecrets.length > 0
      ? createSharedPages({ redis, account, secrets: sharedSecrets, keepMs, clock, breaker, emit })
      : undefined
  const pages = createPageCache({ cacheMs, deadlineMs, clock, budget, shared, hold })
  const readMeetings = createMeetingsReader({ upstream, pages, secrets: sharedSecrets, baseUrl, wire })
  let closing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    const startedAt = clock.now()
    forget()
    emit?.({ type: 'drain.started', inFlight: inFlight.count })
    // Refuse the waiters first: otherwise the drain would wait for them.
    await budget.close()
    const aborted = await inFlight.drain(deadlineMs)
    pages.close()
    usage.close()
    await upstream.close()
    emit?.({ type: 'drain.finished', durationMs: clock.now() - startedAt, aborted })
  }

  const handle = createHandler({
    services: { settings, upstream, readMeetings, countRequest, usage },
    inFlight,
    isClosing: () => closing !== undefined,
    health: () =>
      healthResponse(closing !== undefined, budget.degraded() !== undefined || usage.isDegraded()),
  })
  const close = (): Promise<void> => (closing ??= drain())
  const gauge = (): BffGauge => ({ ...budget.gauge(), saved: pages.saved, inFlight: inFlight.count })
  settings.telemetry?.start({ gauge, addressOf: (operation) => upstream.addressOf(operation) })
  const methods: BffMethods = { close, gauge, [Symbol.asyncDispose]: close }
  /** Resolves when nothing is left to do, or after a deadline. */
  const idle = (): Promise<void> => inFlight.idle()
  return { handle, methods, idle }
}

/**
 * A function that runs scripts may need the runtime to stay awake for it. A client has connections, which it
 * keeps itself.
 */
function heldBy(hold: InFlight['hold'], redis: Settings['redis']): Settings['redis'] {
  return typeof redis === 'function' ? (script, keys, args) => hold(redis(script, keys, args)) : redis
}
