import { randomUUID } from 'node:crypto'
import { type NextFunction, type Request, type Response, Router } from 'express'
import type { Budget, BudgetGauge } from './budget/Budget.js'
import { createMemoryBudget } from './budget/createMemoryBudget.js'
import { createRedisBudget } from './budget/createRedisBudget.js'
import { redisEval } from './budget/redis/redisClient.js'
import { createEmitter } from './context/createEmitter.js'
import type { EmitEvent } from './context/events.js'
import { createRedisLimitStore } from './gate/createRedisLimitStore.js'
import { createLimits } from './gate/limits.js'
import { createMeetingsReader } from './meetings/createMeetingsReader.js'
import { createSharedReads, type SavedReads } from './meetings/createPageCache.js'
import { createExchanges } from './request/createInFlight.js'
import type { Answer } from './request/OutgoingResponse.js'
import { createHandler } from './routes/createHandler.js'
import type { BffOptions, Settings } from './settings/BffOptions.js'
import { readOptions } from './settings/readOptions.js'
import { createUpstream } from './upstream/createUpstream.js'

/** An Express router that can be closed. What a host adds to it is not called: mount that beside it. */
export interface Bff extends Router, AsyncDisposable {
  /**
   * Drains: new requests get SHUTTING_DOWN and `/health` says so, waiters for a budget slot are refused, what is under way may finish
   * within `deadlineMs`; then the connections to the upstream are closed. Calling it again gives the same promise.
   */
  close(): Promise<void>
  /** How the account's budget stands, and what was saved of it; for dashboards. */
  gauge(): BffGauge
}

export interface BffGauge extends BudgetGauge {
  readonly saved: SavedReads
  /** Requests that are being answered now. */
  readonly inFlight: number
}

/**
 * Creates the router that holds the keys. Mount it under a path of its own: `app.use('/api/voice', createBff({ … }))`. It needs no body
 * parser, and bears one in front of it. Throws a `TypeError` that says what to do where an option is missing or wrong.
 */
export function createBff(options: BffOptions): Bff {
  const settings = readOptions(options)
  const { clock } = settings.platform
  const emit = createEmitter(settings.onEvent)
  const budget = createBudget(settings, emit)
  const upstream = createUpstream(settings, budget, emit)
  const limits = createLimits(settings.limits, emit, limitStores(settings))
  const sharedReads = createSharedReads({
    cacheMs: settings.meetings.cacheMs,
    deadlineMs: settings.deadlineMs,
    clock,
  })
  const meetings = createMeetingsReader(upstream, sharedReads)
  const exchanges = createExchanges(settings.deadlineMs, clock, randomUUID)
  let closing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    const startedAt = clock.now()
    emit?.({ type: 'drain.started', inFlight: exchanges.inFlight })
    // First the waiters, who would otherwise be waited for.
    await budget.close()
    const aborted = await exchanges.drain(settings.deadlineMs)
    sharedReads.close()
    await upstream.close()
    emit?.({ type: 'drain.finished', durationMs: clock.now() - startedAt, aborted })
  }

  const health = (): Answer => {
    if (closing) return unhealthy('draining', 'The server is shutting down.')
    const reason = budget.degraded()
    return reason === undefined ? HEALTHY : unhealthy('degraded', reason)
  }

  const handler = createHandler({
    services: { settings, upstream, meetings, limits, emit },
    exchanges,
    isClosing: () => closing !== undefined,
    health,
  })
  const router = Router().use(handler)
  // A router searches its table and notes on the request how far it got. Ours has one entry, and the search would cost more than the gate.
  const handle = (req: Request, res: Response, next: NextFunction): void => void handler(req, res).catch(next)
  const close = (): Promise<void> => (closing ??= drain())
  const gauge = (): BffGauge => ({
    ...budget.gauge(),
    saved: sharedReads.saved,
    inFlight: exchanges.inFlight,
  })
  return Object.assign(router, { close, gauge, handle, [Symbol.asyncDispose]: close })
}

function createBudget({ meetings, deadlineMs, redis, platform }: Settings, onEvent: EmitEvent): Budget {
  const { account, reserve, strict } = meetings
  const { clock, random } = platform
  const options = { reserve, strict, timeoutMs: deadlineMs, clock, random, onEvent }
  if (redis === undefined) return createMemoryBudget(options)
  return createRedisBudget({ ...options, account, eval: redisEval(redis) })
}

/** Redis may take this long to count a request, and never more than a small part of its time. */
const LIMIT_PATIENCE_MS = 500

function limitStores(settings: Settings): Parameters<typeof createLimits>[2] {
  const { redis, meetings, platform, deadlineMs } = settings
  if (redis === undefined) return undefined
  const patienceMs = Math.min(LIMIT_PATIENCE_MS, deadlineMs / 4)
  const options = { redis, account: meetings.account, clock: platform.clock, patienceMs }
  return (points, name) => createRedisLimitStore(options, points, name)
}

const HEALTHY: Answer = { status: 200, json: '{"status":"ok"}' }

function unhealthy(status: 'draining' | 'degraded', reason: string): Answer {
  return { status: 503, json: JSON.stringify({ status, reason }) }
}
