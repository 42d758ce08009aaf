/// <reference lib="esnext.disposable" preserve="true" />
import type { Transport } from '@stagepass/contract'
import { createListener } from '../telemetry/createListener.js'
import { createLog } from '../telemetry/createLog.js'
import { createUserNames } from '../usage/userNames.js'
import type { BffGauge, RequestSpan } from '../telemetry/Telemetry.js'
import { createBreaker } from '../usage/createBreaker.js'
import { createLimits } from '../usage/createLimits.js'
import { createAccounts } from '../accounts/createAccounts.js'
import { createPages } from '../meetings/createPages.js'
import { createInFlight, type InFlight } from '../request/createInFlight.js'
import type { Client, RequestContext } from '../request/RequestContext.js'
import type { CommonOptions } from '../settings/BffOptions.js'
import { readOptions, type Settings } from '../settings/readOptions.js'
import { warnOfSecond } from '../settings/warnOfSecond.js'
import { createRedactor } from '../upstream/createRedactor.js'
import { createUpstream } from '../upstream/createUpstream.js'
import { type AccountUsage, createUsage } from '../usage/createUsage.js'
import { createUsageStore } from '../usage/createUsageStore.js'
import { createKeyRegister } from '../usage/createKeyRegister.js'
import { type AccountUsageQuery, readAccountUsage } from './accountUsage.js'
import { createAdmission } from './createAdmission.js'
import { createForget, type ForgottenAccount } from './createForget.js'
import { createSessionMethods, type SessionMethods } from './createSessionMethods.js'
import { reportEnd, type RequestEnd } from './reportEnd.js'
import type { Services } from './Services.js'

/** The longest time that Redis gets to count a request. It is also limited to a quarter of the deadline. */
const REDIS_TIMEOUT_MS = 500

/** The methods of every BFF that need no grant. */
export interface DeskMethods extends SessionMethods, AsyncDisposable {
  /**
   * Stops accepting work: new requests get SHUTTING_DOWN, `/health` answers 503, and requests that wait for a
   * slot are refused. Requests in flight may finish within `deadlineMs`. Then the upstream connections are
   * closed. Returns the same promise on every call.
   */
  close(): Promise<void>
  /** State of the budgets of all accounts in use, and the upstream requests saved; for dashboards. */
  gauge(): BffGauge
  /**
   * The minutes of an account by UTC day and product, for a bill: of users whose grant has `usage` or
   * `accountUsage`. They are kept for 400 days, with `redis` of all instances. A token counts with its whole life
   * until its report. Throws a `TypeError` for a wrong query, and rejects if Redis does not respond.
   *
   * @example await bff.usage({ account: 'acme', from: '2030-01-01', to: '2030-01-31' })
   */
  usage(query: AccountUsageQuery): Promise<readonly AccountUsage[]>
  /**
   * Removes a customer. When it resolves, no instance gives a token, a page or a minute by a key that the
   * account has used: its requests are refused with ENDED_BY_SERVER until `authorize` returns another `apiKey`.
   * With the option `sessions` its streams end. Its pages, limits, budget and sessions are gone, and the minutes
   * of its users; its own minutes stay for a bill. With `redis` it takes `deadlineMs`, the longest time that a
   * request may last which another instance has begun. Rejects if Redis does not respond.
   *
   * @example await bff.forget({ account: 'acme' })
   */
  forget(account: ForgottenAccount): Promise<void>
}

export type Desk = ReturnType<typeof createDesk>

/**
 * A BFF without HTTP: all that a grant may do, for any kind of caller.
 *
 *     begin ─> enter ─> admit ─> a function of this folder ─> end
 *
 * `createTransport` creates the transport of the runtime, unless the option `transport` is given.
 */
export function createDesk<TRequest>(
  options: CommonOptions<TRequest>,
  createTransport: (settings: Settings) => Transport,
) {
  const given = readOptions(options)
  const releaseNewest = warnOfSecond(given)
  const { platform, deadlineMs } = given
  const { clock } = platform
  const redactor = createRedactor(given.apiKey, given.userSecret)
  const log = given.logger && createLog(given.logger, clock, redactor.redact)
  const emit = createListener(given.onEvent, log)
  const inFlight = createInFlight(deadlineMs, platform, emit)
  const { hold } = inFlight
  const settings = { ...given, redis: keepAwake(hold, given.redis) }
  const { redis } = settings
  const transport = settings.transport ?? createTransport(settings)
  const upstream = createUpstream(settings, transport, redactor)
  const breaker = createBreaker(clock, Math.min(REDIS_TIMEOUT_MS, deadlineMs / 4))
  const userName = createUserNames(redis !== undefined, settings.userSecret)
  const secret = settings.userSecret
  const main = settings.meetings.account
  const register = createKeyRegister({ redis, account: main, secret, breaker })
  const accounts = createAccounts({ settings, emit, hold, note: redactor.note, userName, register })
  const limits = createLimits({
    settings,
    breaker,
    userName,
    register,
    onForgotten: (count) => forgetting.notice(count),
  })
  const usage = createUsage({
    store: createUsageStore({ redis, account: main, clock }),
    breaker: redis ? breaker : (call) => call(),
    secret,
    userName,
    platform,
    emit,
  })
  const pages = createPages(settings, upstream, hold, emit)
  const forgetting = createForget({
    accounts,
    pages,
    limits,
    usage,
    inFlight,
    register,
    clock,
    othersMs: redis && deadlineMs,
  })
  let closing: Promise<void> | undefined

  const drain = async (): Promise<void> => {
    const startedAt = clock.now()
    releaseNewest()
    emit?.({ type: 'drain.started', inFlight: inFlight.count })
    // First refuse the requests that wait for a slot. Otherwise the drain would wait for them.
    await accounts.close()
    const aborted = await inFlight.drain(deadlineMs)
    pages.close()
    await usage.close()
    await upstream.close()
    emit?.({ type: 'drain.finished', durationMs: clock.now() - startedAt, aborted })
  }

  const close = (): Promise<void> => (closing ??= drain())
  const gauge = (): BffGauge => ({ ...accounts.gauge(), saved: pages.saved, inFlight: inFlight.count })
  const isDegraded = (): boolean => accounts.isDegraded() || usage.isDegraded()
  settings.telemetry?.start({ gauge, isDegraded, addressOf: (operation) => upstream.addressOf(operation) })
  const accountUsage: DeskMethods['usage'] = (query) => readAccountUsage(query, usage)
  const methods: DeskMethods = {
    close,
    gauge,
    usage: accountUsage,
    forget: forgetting.forget,
    ...createSessionMethods(accounts, emit),
    [Symbol.asyncDispose]: close,
  }
  const services: Services = { settings, upstream, pages, usage }
  const isClosing = (): boolean => closing !== undefined

  return {
    services,
    methods,
    /** For a runtime that allows connections before the first request. */
    open: (): void => accounts.open(),
    /** State for a load balancer. */
    health: () => (isClosing() ? 'draining' : isDegraded() ? 'degraded' : 'ok'),
    /** Begins a request. Call `end` for each. */
    begin: (client: Client, span: RequestSpan | undefined) => inFlight.begin(client, span),
    /** The way to a `Caller`, for a request that needs a grant. */
    enter: createAdmission({ accounts, limits, hold, isClosing }),
    end(context: RequestContext, result: RequestEnd): void {
      reportEnd(context, result)
      inFlight.end(context)
    },
    /** Resolves when no work is left, or after a deadline. */
    idle: (): Promise<void> => inFlight.idle(),
  }
}

/**
 * If `redis` is a function, the runtime may have to stay awake until it has finished. A client keeps its
 * connections itself.
 */
function keepAwake(hold: InFlight['hold'], redis: Settings['redis']): Settings['redis'] {
  return typeof redis === 'function' ? (script, keys, args) => hold(redis(script, keys, args)) : redis
}
