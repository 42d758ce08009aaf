import { DEFAULT_TTL_MINUTES, type Product } from '@stagepass/contract'
import type { EventBody, TokenEvent } from '../client/events.js'
import { errorOfEnd } from '../client/createUsers.js'
import { onAbort } from '../client/onAbort.js'
import { createDates } from '../platform/createDates.js'
import { createListeners } from '../platform/createListeners.js'
import type { Platform, TimerHandle } from '../platform/platform.js'
import type { usageOf } from './usageOf.js'
import type { Mint, Minted } from './createMint.js'
import { createTokenRequest } from './createTokenRequest.js'
import { createWaiters } from './createWaiters.js'
import { createWiper } from './SessionToken.js'
import { RENEWAL_GAP_MS, renewalLeadMs } from './renewal.js'
import {
  type LiveToken,
  type OwnTokenSource,
  PENDING,
  type TokenOptions,
  type TokenState,
} from './TokenSource.js'

/*
 * A source has two independent parts: the current token, and the request for the next one
 * (createTokenRequest).
 *
 *   token    none ──── a request succeeds ───► live ──── its deadline ───► none
 *                                              live ──── a request succeeds ───► live, the next one
 *            live or none ──── the page is left ───────► none, and no request until it comes back
 *            live or none ──── the identity ends ──────► none, forever: the token is wiped, the request
 *                                                        cancelled, and waiters are rejected
 *
 * The token is needed if a caller waits in `get` or `renew`, or if the source is retained and there is no
 * token, or its renewal is due, or a shorter TTL is requested. While there is a token, a failed request only
 * sets `error`; the status stays `success`. One timer calls one transition, `check`: at the next due time, at
 * least once a minute (timers stop in sleep), and at once when the page wakes. `check` decides only from the
 * clock, so a late timer only causes a delay.
 */
interface CreateTokenSourceOptions {
  readonly product: Product
  readonly mint: Mint
  /** Its `now()` includes the machine's sleep. */
  readonly platform: Platform
  readonly emit: (event: TokenEvent) => void
  readonly docsUrl?: string | undefined
  /** In development: the mistakes that were already logged. */
  readonly said?: Set<string> | undefined
  /** Counts the user's minutes. */
  readonly usage?: Pick<ReturnType<typeof usageOf>, 'begin' | 'end' | 'isOver'> | undefined
  /** Aborts when the identity ends. */
  readonly signal: AbortSignal
}

/** Longest time between two checks while the token is needed, because a sleep may cause no event. */
const LONGEST_WATCH_MS = 60_000

/** Builds the source of one product's tokens. It does nothing until a token is needed. */
export function createTokenSource(options: CreateTokenSourceOptions): OwnTokenSource {
  const { product, mint, platform, signal, usage } = options
  let held: LiveToken | undefined
  let generation = 0
  /** True if the next token replaces another one of the same user. */
  let isRenewal = false
  let isAway = false
  /** No renewal starts earlier, except one after a refusal. */
  let nextRenewalAt = 0
  const retainers = new Set<TokenOptions>()
  const waiters = createWaiters(signal, queueCheck)
  const listeners = createListeners()
  const wiper = createWiper()
  const dateOf = createDates(platform)
  let snapshot = PENDING
  let notified = PENDING
  let timer: TimerHandle | undefined
  let checkQueued = false

  const emit = (body: EventBody<TokenEvent>): void =>
    options.emit({ ...body, product, at: platform.wallNow() })

  const request = createTokenRequest({
    product,
    mint,
    platform,
    docsUrl: options.docsUrl,
    said: options.said,
    emit,
    wanted: () => ({ ttlMinutes: shortestTtl() }),
    heldUntil: () => held?.deadline,
    onMinted: hold,
    onFailed: (error) => waiters.reject(error, liveToken()),
    onEnd: check,
  })

  /** The current token; `undefined` after its deadline, even if `check` has not run yet. */
  function liveToken(): LiveToken | undefined {
    if (!held || platform.now() < held.deadline) return held
    queueCheck()
    return undefined
  }

  function state(): TokenState {
    const live = liveToken()
    const error = signal.aborted ? errorOfEnd(signal) : request.error()
    const retryAt = dateOf(request.hasFailed() ? request.nextAt(dueAt()) : Infinity)
    if (live !== snapshot.live || error !== snapshot.error || retryAt !== snapshot.retryAt) {
      if (live) snapshot = { status: 'success', live, error, retryAt }
      else snapshot = error ? { status: 'error', live: undefined, error, retryAt } : PENDING
    }
    return snapshot
  }

  const isNeeded = (): boolean =>
    !signal.aborted && !isAway && (retainers.size > 0 || waiters.all().length > 0)

  function shortestTtl(): number | undefined {
    const ttls = [...retainers, ...waiters.all()].flatMap(({ ttlMinutes }) => ttlMinutes ?? [])
    return ttls.length > 0 ? Math.min(...ttls) : undefined
  }

  /** When the next request may start; `Infinity` if none is needed. A backoff may delay it. */
  function dueAt(): number {
    if (!isNeeded()) return Infinity
    if (waiters.all().some(({ urgent }) => urgent)) return request.retryAfterUntil()
    const earliest = Math.max(nextRenewalAt, request.retryAfterUntil())
    const wantsShorter = held && (shortestTtl() ?? Infinity) < held.ttlMinutes
    if (!held || waiters.all().length > 0 || wantsShorter) return earliest
    // Also while the browser says that it is offline, because it may be wrong. Failures slow the requests
    // down.
    return Math.max(held.renewAt, earliest)
  }

  /** The transition. Only the clock and the need decide its result. */
  function check(): void {
    const now = platform.now()
    wiper.wipe(now)
    if (held && now >= held.deadline) {
      const { generation } = held
      drop()
      emit({ type: 'token.expired', generation })
    }
    // No stream uses the token any longer: drop it, so that its time is reported.
    if (held && !isNeeded() && usage?.isOver(held)) drop()
    const due = dueAt()
    request.follow({ isNeeded: isNeeded(), isDue: now >= due, hasWaiters: waiters.all().length > 0 })
    watch(due)
    if (state() !== notified) {
      notified = snapshot
      listeners.notify()
    }
  }

  function queueCheck(): void {
    if (checkQueued) return
    checkQueued = true
    // Ten components that mount in one commit, and the remount of StrictMode, cause one check.
    queueMicrotask(() => {
      checkQueued = false
      check()
    })
  }

  /** Sets the one timer to the next due time. */
  function watch(due: number): void {
    platform.clearTimeout(timer)
    // A token with a receipt is reported at its end, also if it is not needed.
    if (isNeeded() || (held && (held.receipt !== undefined || !listeners.isEmpty()))) {
      const next = Math.min(held?.deadline ?? Infinity, request.nextAt(due))
      timer = platform.setTimeout(check, Math.min(Math.max(next - platform.now(), 0), LONGEST_WATCH_MS))
    }
  }

  function hold(minted: Minted, startedAt: number, ttlMinutes: number | undefined): void {
    const now = platform.now()
    generation += 1
    const live: LiveToken = {
      product,
      generation,
      ...minted,
      renewAt: minted.deadline - renewalLeadMs(minted.deadline - startedAt, platform.random()),
      ttlMinutes: ttlMinutes ?? DEFAULT_TTL_MINUTES,
    }
    wiper.add(live)
    drop()
    held = live
    if (isRenewal) nextRenewalAt = now + RENEWAL_GAP_MS
    const type = isRenewal ? 'token.renewed' : 'token.minted'
    emit({ type, generation, expiresInMs: minted.deadline - now, tookMs: now - startedAt })
    isRenewal = true
    waiters.resolve(live)
    usage?.begin(live)
  }

  function drop(): void {
    const dropped = held
    held = undefined
    if (dropped) usage?.end(dropped)
  }

  function forget(): void {
    request.reset()
    wiper.wipe()
    drop()
    isRenewal = false
    nextRenewalAt = 0
    check()
  }

  // security.md, S39: The back-forward cache may restore a page for another user. The first event is then
  // `resume`, not `pageshow`, so the token is wiped when the page is left. The source subscribes before its
  // streams.
  if (!signal.aborted) {
    const unsubscribes = [
      platform.onSuspend((reason) => {
        if (reason !== 'pagehide') return
        isAway = true
        forget()
      }),
      platform.onWake((reason) => {
        isAway = false
        if (reason === 'online') request.endBackoff(false)
        request.retryRefused()
        check()
      }),
    ]
    onAbort(signal, () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      forget()
    })
  }

  return {
    product,
    state,
    current: liveToken,

    async get({ ttlMinutes, signal: abort, notGeneration } = {}) {
      const now = platform.now()
      const good = liveToken()
      // The refusal of an earlier token does not concern the current one.
      const refused = (notGeneration ?? -1) >= generation ? notGeneration : undefined
      if (!good || refused !== undefined || (ttlMinutes ?? Infinity) < good.ttlMinutes) {
        return waiters.wait({ ttlMinutes, notGeneration: refused, urgent: refused !== undefined }, abort)
      }
      // If a renewal is due, wait for the next token, unless requests are failing.
      const renewAt = Math.max(good.renewAt, nextRenewalAt, request.retryAfterUntil())
      if (request.hasFailed() || now < renewAt) return good
      return waiters.wait({ ttlMinutes, notGeneration: undefined, urgent: false }, abort)
    },

    retryNow() {
      request.endBackoff(true)
      queueCheck()
    },

    renew() {
      request.endBackoff(true)
      return waiters.wait({ notGeneration: liveToken()?.generation, urgent: false })
    },

    retain(options = {}) {
      const own = { ...options }
      retainers.add(own)
      queueCheck()
      return () => {
        if (retainers.delete(own)) queueCheck()
      }
    },

    subscribe(listener) {
      const unsubscribe = listeners.subscribe(listener)
      queueCheck()
      return () => {
        unsubscribe()
        queueCheck()
      }
    },
  }
}
