import type { Product } from '@stagepass/contract'
import { PRODUCTS } from '@stagepass/contract'
import { backoffMs, LONGEST_BACKOFF_MS } from '../platform/backoff.js'
import type { TokenEvent } from '../client/events.js'
import type { Platform, TimerHandle } from '../platform/platform.js'
import { asVoiceError, VoiceError } from '../VoiceError.js'
import { createWaiters } from './createWaiters.js'
import { createWiper } from './createWiper.js'
import type { Mint, MintedToken } from './createMint.js'
import { RENEWAL_GAP_MS, renewalLeadMs, withinLifeMs } from './renewal.js'
import type { LiveToken, TokenSource, TokenState, TokenWish } from './TokenSource.js'

/*
 * Two things run side by side: the token in hand, and the asking for the next one.
 *
 *   in hand    none ──── an attempt succeeds ───► live ──── its deadline ───► none
 *                                                live ──── an attempt succeeds ───► live, the next one
 *
 *   asking     idle     ──── needed, and its time has come ───► asking
 *              asking   ──── success ─────────────────────────► idle
 *              asking   ──── a retryable failure ─────────────► waiting
 *              asking   ──── a final failure ─────────────────► refused
 *              waiting  ──── its time has come, or online ────► asking
 *              refused  ──── get() or renew() ────────────────► asking
 *              asking, waiting, refused ──── needed no more ──► idle
 *
 * "Needed" is: someone waits in `get` or `renew`; or someone retains the source, and there is no token, or its renewal is due, or it was
 * asked for a longer life than is now wished. While a token is in hand a failure of the asking harms nobody: it is seen as `error` beside
 * `status: 'success'`.
 *
 * There is one timer and one transition, `check`. It runs at the next moment that matters and at least once a minute, for timers stop in
 * sleep; and at once when the page wakes. Everything it decides it decides from the clock, so that a late timer only makes it late.
 */
type Asking =
  | { readonly status: 'idle' }
  | {
      readonly status: 'asking'
      readonly attempt: number
      readonly abort: AbortController
      /** What the attempt before this one ended in, shown until this one ends. */
      readonly error: VoiceError | null
    }
  | {
      readonly status: 'waiting'
      readonly attempt: number
      readonly error: VoiceError
      readonly retryAt: number
    }
  | { readonly status: 'refused'; readonly error: VoiceError }

interface Held {
  readonly live: LiveToken
  readonly renewAt: number
  /** The life it was asked for, which tells whether a shorter wish calls for another one. */
  readonly ttlMinutes: number
}

export interface CreateTokenSourceOptions {
  readonly product: Product
  readonly mint: Mint
  /** Its `now()` has counted the machine's sleep. */
  readonly platform: Platform
  readonly emit: (event: TokenEvent) => void
}

/** Between two looks at the clock while someone needs the token: a sleep may have passed without an event. */
const LONGEST_WATCH_MS = 60_000

const IDLE: Asking = { status: 'idle' }
const PENDING: TokenState = { status: 'pending', live: undefined, error: null }

/** Builds the source of one product's tokens. It does nothing until someone needs a token. */
export function createTokenSource({ product, mint, platform, emit }: CreateTokenSourceOptions): TokenSource {
  let held: Held | undefined
  let asking: Asking = IDLE
  let generation = 0
  /** The next token will follow another one of the same user. */
  let isRenewal = false
  /** Renewals start no earlier, but for one after a refusal. */
  let nextRenewalAt = 0
  /** No attempt of any kind starts earlier: a server said so. */
  let heldBackUntil = 0
  const wishes = new Set<TokenWish>()
  const waiters = createWaiters(queueCheck)
  const listeners = new Set<() => void>()
  const wiper = createWiper()
  let snapshot = PENDING
  let notified = PENDING
  let timer: TimerHandle | undefined
  let unwatch: (() => void) | undefined
  let checkQueued = false

  const event = (): { product: Product; at: number } => ({ product, at: platform.wallNow() })

  /** The token in hand, unless its time is over: then `check` has yet to notice, and nobody is given it. */
  function alive(): Held | undefined {
    if (!held) return undefined
    if (platform.now() < held.live.deadline) return held
    queueCheck()
    return undefined
  }

  function state(): TokenState {
    const now = alive()
    const error = asking.status === 'idle' ? null : asking.error
    const { live } = now ?? {}
    if (live !== snapshot.live || error !== snapshot.error) {
      if (now) snapshot = { status: 'success', live: now.live, error, renewAt: now.renewAt }
      else snapshot = error ? { status: 'error', live: undefined, error } : PENDING
    }
    return snapshot
  }

  const isNeeded = (): boolean => wishes.size > 0 || waiters.all().length > 0

  function shortestWish(): number | undefined {
    const lives = [...wishes, ...waiters.all()].flatMap(({ ttlMinutes }) => ttlMinutes ?? [])
    return lives.length > 0 ? Math.min(...lives) : undefined
  }

  /** When the next attempt may start, as far as its need goes; undefined where there is none. */
  function dueAt(): number | undefined {
    if (!isNeeded()) return undefined
    if (waiters.all().some(({ urgent }) => urgent)) return heldBackUntil
    const earliest = Math.max(nextRenewalAt, heldBackUntil)
    const wantsShorter = held && (shortestWish() ?? Infinity) < held.ttlMinutes
    if (!held || waiters.all().length > 0 || wantsShorter) return earliest
    // Without a network an attempt helps nobody; the token in hand serves until it is back.
    return platform.isOnline() ? Math.max(held.renewAt, earliest) : undefined
  }

  /** The transition. Brings everything to where the clock and the wishes say it should be. */
  function check(): void {
    const now = platform.now()
    wiper.wipe(now)
    if (held && now >= held.live.deadline) {
      const { generation } = held.live
      held = undefined
      emit({ ...event(), type: 'token.expired', generation })
    }
    const due = dueAt()
    const isDue = due !== undefined && now >= due
    switch (asking.status) {
      case 'idle':
        if (isDue) ask(0, null)
        break
      case 'waiting':
        if (!isNeeded()) asking = IDLE
        else if (isDue && now >= asking.retryAt) ask(asking.attempt, asking.error)
        break
      case 'asking':
        if (!isNeeded()) cancel()
        break
      case 'refused':
        // Final for those who are here. Who asks in so many words, or comes when all have left, asks anew.
        if (!isNeeded()) asking = IDLE
        else if (waiters.all().length > 0 && isDue) ask(0, asking.error)
        break
      default:
        asking satisfies never
    }
    watch(due)
    if (state() !== notified) {
      notified = snapshot
      for (const listener of listeners) listener()
    }
  }

  function queueCheck(): void {
    if (checkQueued) return
    checkQueued = true
    // Ten components that mount in one commit, and the remount of StrictMode, are one wish by the time it is looked at.
    queueMicrotask(() => {
      checkQueued = false
      check()
    })
  }

  /** Sets the one timer to the next moment that matters. */
  function watch(due: number | undefined): void {
    platform.clearTimeout(timer)
    const moments: number[] = []
    if (held) moments.push(held.live.deadline)
    if (due !== undefined) {
      if (asking.status === 'idle') moments.push(due)
      if (asking.status === 'waiting') moments.push(Math.max(due, asking.retryAt))
    }
    if (isNeeded() || (held && listeners.size > 0)) {
      const delayMs = Math.min(...moments, Infinity) - platform.now()
      timer = platform.setTimeout(check, Math.min(Math.max(delayMs, 0), LONGEST_WATCH_MS))
    }
    if (!isNeeded()) {
      unwatch?.()
      unwatch = undefined
    } else {
      unwatch ??= platform.onWake((reason) => {
        if (reason === 'online' && asking.status === 'waiting') asking = { ...asking, retryAt: 0 }
        check()
      })
    }
  }

  function ask(attempt: number, error: VoiceError | null): void {
    const mine: Asking = { status: 'asking', attempt, abort: new AbortController(), error }
    asking = mine
    const startedAt = platform.now()
    const ttlMinutes = shortestWish()
    mint(product, {
      ttlMinutes,
      fresh: waiters.all().some(({ notGeneration }) => notGeneration !== undefined),
      signal: mine.abort.signal,
    }).then(
      (minted) => {
        // An answer to a question that is no longer asked.
        if (asking !== mine) return
        if (platform.now() < minted.deadline) succeeded(minted, startedAt, ttlMinutes)
        else failed(new VoiceError('TOKEN_EXPIRED'), attempt)
        check()
      },
      (thrown: unknown) => {
        if (asking !== mine) return
        failed(asVoiceError(thrown), attempt)
        check()
      },
    )
  }

  function cancel(): void {
    if (asking.status === 'asking') asking.abort.abort()
    asking = IDLE
  }

  function succeeded(
    { from, ...minted }: MintedToken,
    startedAt: number,
    ttlMinutes: number | undefined,
  ): void {
    const now = platform.now()
    generation += 1
    const live: LiveToken = { product, generation, ...minted }
    wiper.add(live)
    held = {
      live,
      renewAt: minted.deadline - renewalLeadMs(minted.deadline - startedAt, platform.random()),
      ttlMinutes: ttlMinutes ?? PRODUCTS[product].ttlMinutes.default,
    }
    asking = IDLE
    heldBackUntil = 0
    if (isRenewal) nextRenewalAt = now + RENEWAL_GAP_MS
    emit({
      ...event(),
      type: isRenewal ? 'token.renewed' : 'token.minted',
      generation,
      expiresInMs: minted.deadline - now,
      tookMs: now - startedAt,
      from,
    })
    isRenewal = true
    waiters.resolve(live)
  }

  function failed(error: VoiceError, attempt: number): void {
    const now = platform.now()
    if (error.retryable) {
      let delayMs = backoffMs(attempt, platform.random())
      if (held) delayMs = withinLifeMs(delayMs, held.live.deadline - now)
      else if (!platform.isOnline()) delayMs = LONGEST_BACKOFF_MS
      heldBackUntil = now + (error.retryAfterMs ?? 0)
      const retryAt = Math.max(now + delayMs, heldBackUntil)
      asking = { status: 'waiting', attempt: attempt + 1, error, retryAt }
      emit({
        ...event(),
        type: 'token.retrying',
        code: error.code,
        attempt,
        retryInMs: retryAt - now,
        held: held !== undefined,
      })
    } else {
      asking = { status: 'refused', error }
      emit({
        ...event(),
        type: 'token.failed',
        code: error.code,
        reqId: error.reqId,
        held: held !== undefined,
      })
    }
    waiters.reject(error, alive()?.live)
  }

  return {
    product,
    state,
    current: () => alive()?.live,

    async get({ ttlMinutes, signal, notGeneration } = {}) {
      const now = platform.now()
      const good = alive()
      // That an earlier one was refused says nothing of the latest.
      const refused = (notGeneration ?? -1) >= generation ? notGeneration : undefined
      if (!good || refused !== undefined || (ttlMinutes ?? Infinity) < good.ttlMinutes) {
        return waiters.wait({ ttlMinutes, notGeneration: refused, urgent: refused !== undefined }, signal)
      }
      // In its last stretch the next token is worth a round trip, unless that is known to fail just now.
      const isFailing = asking.status === 'waiting' || asking.status === 'refused'
      if (isFailing || now < Math.max(good.renewAt, nextRenewalAt, heldBackUntil)) return good.live
      return waiters.wait({ ttlMinutes, notGeneration: undefined, urgent: false }, signal)
    },

    renew() {
      if (asking.status === 'waiting') asking = { ...asking, retryAt: 0 }
      return waiters.wait({ notGeneration: alive()?.live.generation, urgent: false })
    },

    retain(wish = {}) {
      const mine = { ...wish }
      wishes.add(mine)
      queueCheck()
      return () => {
        if (wishes.delete(mine)) queueCheck()
      }
    },

    subscribe(listener) {
      // A function of its own, for the same listener may come twice.
      const mine = (): void => listener()
      listeners.add(mine)
      queueCheck()
      return () => {
        if (listeners.delete(mine)) queueCheck()
      }
    },

    clear() {
      cancel()
      wiper.wipe()
      held = undefined
      isRenewal = false
      heldBackUntil = 0
      nextRenewalAt = 0
      queueCheck()
    },
  }
}
