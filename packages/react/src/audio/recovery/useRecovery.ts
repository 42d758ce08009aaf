import type { Product } from '@stagepass/contract'
import { useEffect, useState } from 'react'
import type { Client } from '../../identity/Client.js'
import { useClient } from '../../identity/useClient.js'

/** Sound that a page could not have made into text: it crashed, was closed, or had no network. */
export interface RecoveredRecording {
  readonly startedAt: Date
  readonly durationMs: number
  /**
   * Sends it to the service, on the stream of the same product and key. A component with that stream must be
   * mounted, and the stream must not be open: it opens, its listeners get the texts, and it closes after the
   * last one. Resolves then. What became final is deleted, and the rest stays; without `persist` all of it, if a
   * connection was lost or the last text did not come. Rejects if the stream fails, or lost a connection and
   * something stays.
   */
  readonly send: () => Promise<void>
  /** Saves it as a WAV file. It stays in the list. */
  readonly download: () => Promise<void>
  /** Deletes it. */
  readonly discard: () => Promise<void>
}

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
