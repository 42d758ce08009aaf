import type { Product } from '@stagepass/contract'
import { useEffect, useState } from 'react'
import type { Client } from '../../identity/Client.js'
import { useClient } from '../../identity/useClient.js'
import type { RecoveredRecording } from './RecoveredRecording.js'

/** The result of `useRecovery`. */
export interface UseRecoveryResult {
  /** The oldest first. Without those that a page records or sends now. */
  readonly recordings: readonly RecoveredRecording[]
}

/** A chunk of its own. */
const load = () => import('./watchRecordings.js')

const NOTHING: UseRecoveryResult = { recordings: [] }

/**
 * Sound of the current user that is not final, from sessions of a product with `resend: { persist: true }`
 * that have ended: after a crash, a reload, or an outage that was too long. Nothing is sent without a call of
 * `send`. Recordings are deleted after 24 hours, and with a sign-out.
 *
 * @example
 * const { recordings } = useRecovery('stt')
 * {recordings.map(({ startedAt, durationMs, send, discard }) => (
 *   <p key={Number(startedAt)}>
 *     {Math.round(durationMs / 1_000)} s were not written down.
 *     <button onClick={send}>Send</button> <button onClick={discard}>Delete</button>
 *   </p>
 * ))}
 */
export function useRecovery(product: Product): UseRecoveryResult {
  const client = useClient()
  const [shown, setShown] = useState<{ client: Client; product: Product; result: UseRecoveryResult }>()
  useEffect(() => {
    const ended = new AbortController()
    load()
      .then(({ watchRecordings }) =>
        watchRecordings(
          client,
          product,
          (recordings) => setShown({ client, product, result: { recordings } }),
          ended.signal,
        ),
      )
      // Without the code or the storage there is nothing to recover.
      .catch(() => {})
    return () => ended.abort()
  }, [client, product])
  return shown?.client === client && shown.product === product ? shown.result : NOTHING
}
