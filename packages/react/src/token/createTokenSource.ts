import type { Product } from '@stagepass/contract'
import type { TokenEvent } from '../events/events.js'
import { errorOfEnd } from '../identity/createUsers.js'
import { onAbort } from '../events/onAbort.js'
import { sayOnce } from '../errors/sayOnce.js'
import { createDates } from '../platform/createDates.js'
import { createListeners } from '../events/createListeners.js'
import type { Platform, TimerHandle } from '../platform/platform.js'
import { asVoiceError, isVoiceError, VoiceError } from '../errors/VoiceError.js'
import type { Mint, Minted } from './createMint.js'
import { createWiper } from './SessionToken.js'
import {
  type Caller,
  endWith,
  errorOf,
  hasFailed,
  isNeeded,
  nextAttemptAt,
  type RequestInFlight,
  START,
} from './state.js'
import type { OwnTokenSource } from './OwnTokenSource.js'
import { type LiveToken, PENDING, type TokenState } from './TokenSource.js'
import { answered, back, called, ended, left, tick, type Transition } from './transitions.js'
import type { usageOf } from '../usage/usageOf.js'

interface CreateTokenSourceOptions {
  readonly product: Product
  readonly mint: Mint
  /** Its `now()` includes the machine's sleep. */
  readonly platform: Platform
  readonly emit: (event: TokenEvent) => void
  /** In development: the mistakes that were already logged. */
  readonly said?: Set<string> | undefined
  /** Counts the user's minutes. */
  readonly usage: Pick<ReturnType<typeof usageOf>, 'begin' | 'end' | 'isOver' | 'replace'>
  /** Aborts when the identity ends. */
  readonly signal: AbortSignal
}

/** Longest time between two ticks while the token is needed, because a sleep may cause no event. */
const LONGEST_WATCH_MS = 60_000

/**
 * Runs the state machine of `transitions.ts` for the tokens of one product. After each transition it sends or
 * aborts the request, reports or wipes the token, emits, and ends waits. It does nothing until a token is
 * needed. One timer ticks at the next due time, and at least once a minute, because timers stop in sleep.
 */
export function createTokenSource(options: CreateTokenSourceOptions): OwnTokenSource {
  const { product, mint, platform, signal, usage, said } = options
  const listeners = createListeners()
  const wiper = createWiper()
  const dateOf = createDates(platform)
  // On a server the identity has ended from the start, and a render must not read the clock.
  let state = signal.aborted ? endWith(errorOfEnd(signal)) : START
  let callers: readonly Caller[] = []
  let snapshot = PENDING
  let notified = PENDING
  let abort: AbortController | undefined
  let timer: TimerHandle | undefined
  let tickQueued = false

  function step(transition: Transition): void {
    const previous = state
    const now = platform.now()
    const random = platform.random()
    if (previous.status === 'ended') return
    const next = transition(previous, { now, callers, random, usage })
    state = next.state
    const { held, request } = state
    wiper.wipe(state.status === 'here' ? now : Infinity)
    if (request !== previous.request) abort?.abort()
    if (held !== previous.held) {
      if (previous.held) usage.end(previous.held, held !== undefined)
      if (held) {
        wiper.add(held)
        usage.begin(held)
      }
    }
    if (next.event) options.emit({ ...next.event, product, at: platform.wallNow() })
    if (next.result) endWaits(next.result)
    // A listener of the event may have ended the identity, and with it this request.
    if (request !== previous.request && request === state.request && request.status === 'requesting')
      send(request)
    if (process.env.NODE_ENV !== 'production' && said && (transition === called || transition === tick))
      if (request !== previous.request && request.status === 'backoff' && request.isHurried)
        if (request.retryAt > now)
          sayOnce(
            said,
            'Failed to request a token at once: the request before has just failed. The page calls renew(), get() or open() at each error, in an effect or a listener. Call it on a press; what can succeed later is tried again without a call.',
          )
  }

  /** After a failure, callers that accept the current token get that token. */
  function endWaits(result: LiveToken | VoiceError): void {
    const live = isVoiceError(result) ? liveToken() : result
    for (const { notGeneration, end } of callers)
      end?.(live && live.generation !== notGeneration ? live : result)
  }

  function send(request: RequestInFlight): void {
    const { ttlMinutes } = request
    const end = (answer: Minted | VoiceError): void => run(answered(request, answer))
    abort = new AbortController()
    const replaces = usage.replace(product, state.held)
    const accept = callers.find((caller) => caller.accept)?.accept
    mint(product, { ttlMinutes, replaces, accept, signal: abort.signal }).then(end, (thrown: unknown) =>
      end(asVoiceError(thrown)),
    )
  }

  function join(caller: Caller): () => void {
    callers = [...callers, caller]
    queueTick()
    return () => {
      callers = callers.filter((one) => one !== caller)
      queueTick()
    }
  }

  /** Waits for the end of an attempt. Rejects with ABORTED when `left` aborts. */
  function wait(caller: Caller, left?: AbortSignal): Promise<LiveToken> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as VoiceError)
      const end = (result: LiveToken | VoiceError): void => {
        leave()
        unsubscribe?.()
        if (isVoiceError(result)) reject(result)
        else resolve(result)
      }
      const abort = (): void => end(new VoiceError('ABORTED', { cause: left?.reason }))
      const leave = join({ ...caller, end })
      const unsubscribe = left && onAbort(left, abort)
      if (left?.aborted) abort()
    })
  }

  /** The current token; `undefined` after its deadline, even if no tick has dropped it yet. */
  function liveToken(): LiveToken | undefined {
    const { held } = state
    if (!held || platform.now() < held.deadline) return held
    queueTick()
    return undefined
  }

  function show(): TokenState {
    const live = liveToken()
    const error = errorOf(state)
    const retryAt = dateOf(hasFailed(state) ? nextAttemptAt(state, callers) : Infinity)
    if (live !== snapshot.live || error !== snapshot.error || retryAt !== snapshot.retryAt) {
      if (live) snapshot = { status: 'success', live, error, retryAt }
      else snapshot = error ? { status: 'error', live: undefined, error, retryAt } : PENDING
    }
    return snapshot
  }

  /** Sets the timer of the next tick, and notifies the listeners of a change. */
  function runTick(): void {
    step(tick)
    platform.clearTimeout(timer)
    const { held } = state
    // A token with a receipt is reported at its end, also if it is not needed.
    if (isNeeded(state, callers) || (held && (held.receipt !== undefined || !listeners.isEmpty()))) {
      const next = Math.min(held?.deadline ?? Infinity, nextAttemptAt(state, callers))
      timer = platform.setTimeout(runTick, Math.min(Math.max(next - platform.now(), 0), LONGEST_WATCH_MS))
    }
    if (show() !== notified) {
      notified = snapshot
      listeners.notify()
    }
  }

  function run(transition: Transition): void {
    step(transition)
    runTick()
  }

  function queueTick(): void {
    if (tickQueued) return
    tickQueued = true
    // Ten components that mount in one commit, and the remount of StrictMode, cause one tick.
    queueMicrotask(() => {
      tickQueued = false
      runTick()
    })
  }

  if (!signal.aborted) {
    // security.md, S39: The back-forward cache may restore a page for another user. The first event is then
    // `resume`, not `pageshow`, so the token is wiped when the page is left. The source subscribes before its
    // streams.
    const unsubscribes = [
      platform.onSuspend((reason) => {
        if (reason === 'pagehide') run(left)
      }),
      platform.onWake((reason) => run(back(reason === 'online'))),
    ]
    onAbort(signal, () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
      run(ended(errorOfEnd(signal), signal.reason as VoiceError))
    })
  }

  return {
    product,
    state: show,
    current: liveToken,

    async get({ ttlMinutes, signal: abort, notGeneration, accept } = {}) {
      const good = liveToken()
      // The refusal of an earlier token does not concern the current one.
      const refused = (notGeneration ?? -1) >= state.generation ? notGeneration : undefined
      if (!good || refused !== undefined || (ttlMinutes ?? Infinity) < good.ttlMinutes) {
        return wait({ ttlMinutes, accept, notGeneration: refused, isRefused: refused !== undefined }, abort)
      }
      // If a renewal is due, wait for the next token, unless requests are failing.
      const renewAt = Math.max(good.renewAt, state.nextRenewalAt, state.retryAfterUntil)
      if (hasFailed(state) || platform.now() < renewAt) return good
      return wait({ ttlMinutes, accept }, abort)
    },

    run,

    retryNow() {
      step(called)
      queueTick()
    },

    renew() {
      step(called)
      return wait({ notGeneration: liveToken()?.generation })
    },

    retain: ({ ttlMinutes } = {}) => join({ ttlMinutes }),

    subscribe(listener) {
      const unsubscribe = listeners.subscribe(listener)
      queueTick()
      return () => {
        unsubscribe()
        queueTick()
      }
    },
  }
}
