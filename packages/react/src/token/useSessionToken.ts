'use client'

import type { Product } from '@stagepass/contract'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useClient } from '../client/useClient.js'
import type { VoiceError } from '../VoiceError.js'
import type { SessionToken } from './SessionToken.js'
import { givenTokensOf } from './tokensOf.js'
import { PENDING, type TokenState } from './TokenSource.js'

/** Second argument of `useSessionToken`. */
export interface UseSessionTokenOptions {
  /**
   * Life to ask for, in minutes: 5 to 300, for `vt` to 1440; default the service's 180. Where components
   * differ the shortest one wins.
   */
  readonly ttlMinutes?: number | undefined
  /** With `false` nothing is asked for or renewed here. Default `true`. */
  readonly enabled?: boolean | undefined
}

/** The same at every render. */
interface SessionTokenActions {
  /** Asks for a new token now. Never rejects: a failure is the `error` of the result. */
  readonly renew: () => Promise<void>
  /**
   * Milliseconds until the token expires, by a monotonic clock; 0 without one. For a countdown; it causes no
   * render.
   */
  readonly expiresInMs: () => number
  /** Milliseconds until the next token is requested; 0 without one. */
  readonly renewsInMs: () => number
}

/**
 * What `useSessionToken` returns: a union on `status`. `token`, `streamUrl` and `expiresAt` are there exactly
 * while a token lives, and the status is `success` exactly then.
 */
export type UseSessionTokenResult = SessionTokenActions & {
  /**
   * Why the last attempt failed, also while a token still serves. A retryable failure is retried by itself.
   * Null after a success.
   */
  readonly failureReason: VoiceError | null
} & (
    | {
        readonly status: 'pending'
        readonly isPending: true
        readonly isSuccess: false
        readonly isError: false
        readonly token: undefined
        readonly streamUrl: undefined
        readonly expiresAt: undefined
        readonly error: null
      }
    | {
        readonly status: 'success'
        readonly isPending: false
        readonly isSuccess: true
        readonly isError: false
        /** Opaque. `token.value` is the secret: read it when it is used, and do not keep it. */
        readonly token: SessionToken
        /**
         * Address of the product's socket, without a credential. For a socket of your own: `authorizedUrl`.
         */
        readonly streamUrl: string
        readonly expiresAt: Date
        readonly error: null
      }
    | {
        readonly status: 'error'
        readonly isPending: false
        readonly isSuccess: false
        readonly isError: true
        readonly token: undefined
        readonly streamUrl: undefined
        readonly expiresAt: undefined
        /** With `retryable`, the next attempt comes by itself; otherwise it is final until `renew`. */
        readonly error: VoiceError
      }
  )

const serverState = (): TokenState => PENDING

/**
 * A session token for one product, renewed ahead of its expiry for as long as the component is mounted. All
 * components that use the product share one token and one request.
 *
 * @example const { token, status, error, renew } = useSessionToken('stt', { ttlMinutes: 30 })
 */
export function useSessionToken(
  product: Product,
  { ttlMinutes, enabled = true }: UseSessionTokenOptions = {},
): UseSessionTokenResult {
  const client = useClient()
  const source = givenTokensOf(client, product)
  const state = useSyncExternalStore(source.subscribe, source.state, serverState)

  useEffect(() => (enabled ? source.retain({ ttlMinutes }) : undefined), [source, enabled, ttlMinutes])

  const actions = useMemo((): SessionTokenActions => {
    const until = (moment: number | undefined): number =>
      moment === undefined ? 0 : Math.max(0, moment - client.platform.now())
    return {
      renew: () =>
        source.renew().then(
          () => {},
          () => {},
        ),
      expiresInMs: () => until(source.current()?.deadline),
      renewsInMs: () => until(source.current()?.renewAt),
    }
  }, [client, source])
  const { status, live, error } = state

  // `state` has a live token exactly if its status is `success`, as the result says.
  return {
    ...actions,
    status,
    isPending: status === 'pending',
    isSuccess: status === 'success',
    isError: status === 'error',
    token: live?.token,
    streamUrl: live?.streamUrl,
    expiresAt: live?.expiresAt,
    error: live ? null : error,
    failureReason: error,
  } as UseSessionTokenResult
}
