'use client'

import type { Product } from '@stagepass/contract'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useClient } from '../identity/useClient.js'
import { sayUnknown } from '../errors/sayUnknown.js'
import type { VoiceError } from '../errors/VoiceError.js'
import { type ErrorStatus, type PendingStatus, statusFlags, type SuccessStatus } from '../query/Status.js'
import type { SessionToken } from './SessionToken.js'
import { applicationTokensOf } from './tokensOf.js'
import { PENDING, type TokenState } from './TokenSource.js'

/** Options of `useSessionToken`. */
export interface UseSessionTokenOptions {
  /**
   * Life to request, in minutes: 5 to 300, for `vt` up to 1440. Default: the service's 180. If components
   * differ, the shortest value is used.
   */
  readonly ttlMinutes?: number | undefined
  /** False: this component requests and renews no token. Default true. */
  readonly enabled?: boolean | undefined
}

/** Functions that are the same at every render. */
interface SessionTokenActions {
  /**
   * Requests a new token now, also while the next attempt waits. Never rejects: a failure is the `error` of
   * the result. After a failure, a further call within a second waits for its end.
   */
  readonly renew: () => Promise<void>
  /**
   * Milliseconds until the token expires, by a monotonic clock; 0 without a token. For a countdown; it causes
   * no render.
   */
  readonly expiresInMs: () => number
  /** Milliseconds until the next token is requested; 0 without a token. */
  readonly renewsInMs: () => number
}

interface NoToken {
  readonly token: undefined
  readonly streamUrl: undefined
  readonly expiresAt: undefined
}

/**
 * The result of `useSessionToken`: a union on `status`. While a token is valid, the status is `success` and
 * `token`, `streamUrl` and `expiresAt` are set; otherwise they are `undefined`.
 */
export type UseSessionTokenResult = SessionTokenActions & {
  /**
   * Why the last attempt failed, also while a token is still valid. A retryable failure is retried
   * automatically; after another one call `renew` to try again. Null after a success.
   */
  readonly failureReason: VoiceError | null
  /** When the next attempt after a failure starts by itself, for a countdown; null if none waits. */
  readonly retryAt: Date | null
} & (
    | (PendingStatus & NoToken)
    | (SuccessStatus & {
        /** Opaque. `token.value` is the secret: read it when it is used, and do not keep it. */
        readonly token: SessionToken
        /**
         * Address of the product's socket, without a credential. For a socket of your own use
         * `authorizedUrl`.
         */
        readonly streamUrl: string
        readonly expiresAt: Date
      })
    | (ErrorStatus & NoToken)
  )

const serverState = (): TokenState => PENDING

/**
 * A session token for one product, renewed before it expires while the component is mounted. All components
 * that use the product share one token and one request.
 *
 * @example const { token, status, error, renew } = useSessionToken('stt', { ttlMinutes: 30 })
 */
export function useSessionToken(
  product: Product,
  options: UseSessionTokenOptions = {},
): UseSessionTokenResult {
  const { ttlMinutes, enabled = true } = options
  const client = useClient()
  if (process.env.NODE_ENV !== 'production')
    sayUnknown(client.said, 'useSessionToken does not know the option', options, {
      ttlMinutes: true,
      enabled: true,
    })
  const source = applicationTokensOf(client, product)
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
  const { status, live, error, retryAt } = state

  // The cast is safe: `state` has a live token exactly if its status is `success`.
  return {
    ...actions,
    ...statusFlags(status),
    token: live?.token,
    streamUrl: live?.streamUrl,
    expiresAt: live?.expiresAt,
    error: live ? null : error,
    failureReason: error,
    retryAt,
  } as UseSessionTokenResult
}
