import type { Product } from '@stagepass/contract'
import type { EventBody, TokenEvent } from '../client/events.js'
import { backoffMs } from '../platform/backoff.js'
import { sayOnce } from '../client/sayOnce.js'
import type { Platform } from '../platform/platform.js'
import { asVoiceError, isVoiceError, VoiceError, withDocs } from '../VoiceError.js'
import type { Mint, Minted, MintOptions } from './createMint.js'
import { withinLifeMs } from './renewal.js'

// Bundlers replace this expression.
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/*
 *   idle        ──── needed and due ──────────────► requesting
 *   requesting  ──── success ─────────────────────► idle
 *   requesting  ──── a retryable failure ─────────► backoff
 *   requesting  ──── a final failure ─────────────► failed
 *   backoff     ──── its time has come ───────────► requesting
 *   backoff     ──── online, renew() ─────────────► requesting, or backoff to the end of the gap
 *   failed      ──── get(), renew() ──────────────► requesting, or backoff to the end of the gap
 *   failed by UNAUTHENTICATED ── the page wakes, or another request succeeds ── as by renew()
 *   requesting, backoff, failed ── not needed ────► idle
 *
 * After a failure a call may begin an attempt at once, but only one in `GAP_MS`: a page that calls at each
 * error would otherwise be a loop of requests.
 */
type State =
  | { readonly status: 'idle' }
  | {
      readonly status: 'requesting'
      readonly attempt: number
      readonly abort: AbortController
      /** The error of the previous attempt, shown until this one ends. */
      readonly error: VoiceError | null
    }
  | {
      readonly status: 'backoff'
      readonly attempt: number
      readonly retryAt: number
      /** The wait was made shorter. */
      readonly isHurried?: boolean | undefined
    }
  | { readonly status: 'failed' }

interface Need {
  readonly isNeeded: boolean
  readonly isDue: boolean
  /** A caller waits in `get` or `renew`. */
  readonly hasWaiters: boolean
}

interface TokenRequestOptions {
  readonly product: Product
  readonly mint: Mint
  readonly platform: Platform
  readonly docsUrl?: string | undefined
  /** In development: the mistakes that were already logged. */
  readonly said?: Set<string> | undefined
  readonly emit: (event: EventBody<TokenEvent>) => void
  /** Parameters of the request; read when it starts. */
  readonly wanted: () => Omit<MintOptions, 'signal'>
  /** Monotonic time at which the current token expires. */
  readonly heldUntil: () => number | undefined
  readonly onMinted: (token: Minted, startedAt: number, ttlMinutes: number | undefined) => void
  readonly onFailed: (error: VoiceError) => void
  /** Called after `onMinted` and `onFailed`. */
  readonly onEnd: () => void
}

const IDLE: State = { status: 'idle' }

/** Shortest time between two attempts that do not wait for their backoff. */
const GAP_MS = 1_000

/** The request for the next token of a source. */
export function createTokenRequest(options: TokenRequestOptions) {
  const { product, platform, emit } = options
  let state = IDLE
  let retryAfterUntil = 0
  /** Why the last attempt failed, also after its end. */
  let failure: VoiceError | null = null
  /** When the last attempt began that did not wait for its backoff. */
  let hurriedAt = -Infinity

  function start(attempt: number, error: VoiceError | null): void {
    const own: State = { status: 'requesting', attempt, abort: new AbortController(), error }
    state = own
    const startedAt = platform.now()
    const wanted = options.wanted()
    const end = (result: Minted | VoiceError): void => {
      // This request was cancelled.
      if (state !== own) return
      if (isVoiceError(result)) fail(result, attempt)
      else if (platform.now() >= result.deadline) fail(new VoiceError('TOKEN_EXPIRED'), attempt)
      else {
        state = IDLE
        retryAfterUntil = 0
        failure = null
        options.onMinted(result, startedAt, wanted.ttlMinutes)
      }
      options.onEnd()
    }
    options
      .mint(product, { ...wanted, signal: own.abort.signal })
      .then(end, (thrown: unknown) => end(asVoiceError(thrown)))
  }

  function cancel(): void {
    if (state.status === 'requesting') state.abort.abort()
    state = IDLE
  }

  function fail(thrown: VoiceError, attempt: number): void {
    const error = withDocs(thrown, options.docsUrl)
    const now = platform.now()
    const heldUntil = options.heldUntil()
    const held = heldUntil !== undefined
    const { code } = error
    failure = error
    if (error.retryable) {
      let delayMs = backoffMs(attempt, platform.random())
      if (held) delayMs = withinLifeMs(delayMs, heldUntil - now)
      retryAfterUntil = now + (error.retryAfterMs ?? 0)
      const retryAt = Math.max(now + delayMs, retryAfterUntil)
      state = { status: 'backoff', attempt: attempt + 1, retryAt }
      emit({ type: 'token.retrying', code, attempt, retryInMs: retryAt - now, held })
    } else {
      state = { status: 'failed' }
      emit({ type: 'token.failed', code, reqId: error.reqId, held })
    }
    options.onFailed(error)
  }

  /** Makes the wait after a failure as short as it may be. */
  function hurry(attempt: number, isCall: boolean): void {
    const retryAt = hurriedAt + GAP_MS
    state = { status: 'backoff', attempt, retryAt, isHurried: true }
    if (process.env.NODE_ENV !== 'production' && isCall && retryAt > platform.now() && options.said)
      sayOnce(
        options.said,
        'Failed to request a token at once: the request before has just failed. The page calls renew(), get() or open() at each error, in an effect or a listener. Call it on a press; what can succeed later is tried again without a call.',
      )
  }

  return {
    /** The transition: starts, retries or cancels the request. */
    follow({ isNeeded, isDue, hasWaiters }: Need): void {
      if (!isNeeded) return cancel()
      const now = platform.now()
      // After a final failure a new request needs a call of `get` or `renew`, unless the last consumer has
      // left.
      if (state.status === 'failed' && hasWaiters) hurry(0, true)
      if (state.status === 'idle' && failure && now < hurriedAt + GAP_MS) hurry(0, true)
      if (!isDue) return
      if (state.status === 'idle') {
        if (failure) hurriedAt = now
        start(0, null)
      } else if (state.status === 'backoff' && now >= state.retryAt) {
        if (state.isHurried) hurriedAt = now
        start(state.attempt, failure)
      }
    },
    /** Why the last attempt failed; null if there is nothing to report. */
    error: (): VoiceError | null => {
      if (state.status === 'idle') return null
      return state.status === 'requesting' ? state.error : failure
    },
    /** True after a failure, until the next attempt. */
    hasFailed: (): boolean => state.status === 'backoff' || state.status === 'failed',
    /** When the next attempt starts if a token is needed at `due`; `Infinity` if none starts. */
    nextAt(due: number): number {
      if (state.status === 'idle') return due
      return state.status === 'backoff' ? Math.max(due, state.retryAt) : Infinity
    },
    /** No attempt starts before this time, because of a Retry-After. */
    retryAfterUntil: (): number => retryAfterUntil,
    /** Ends a backoff, but not a Retry-After, and not the gap after another call. */
    endBackoff(isCall: boolean): void {
      if (state.status === 'backoff' && hurriedAt + GAP_MS < state.retryAt) hurry(state.attempt, isCall)
    },
    /** The page is at the front, or a request has succeeded: a login that was refused may be a new one. */
    retryRefused(): void {
      if (state.status === 'failed' && failure?.code === 'UNAUTHENTICATED') hurry(0, false)
    },
    /** Cancels the request and forgets its failures. */
    reset(): void {
      cancel()
      retryAfterUntil = 0
      failure = null
    },
  }
}
