import { useEffect, useInsertionEffect, useRef, useState } from 'react'
import { sayOnce } from '../../client/sayOnce.js'
import type { FollowedSession, FollowedSpeech } from './followSpeech.js'

// Bundlers replace this expression.
declare const process: { readonly env: { readonly NODE_ENV?: string } }

/** A chunk of its own, so that only sessions with the option load it. */
const load = () => import('./followSpeech.js')

/**
 * The option `silence` of a session. Undefined until its code is loaded, and for good if that fails: then all
 * frames pass.
 */
export function useSilence(session: FollowedSession): FollowedSpeech | undefined {
  const { client, product, key = 'default', silence, wanted } = session
  const [speech, setSpeech] = useState<FollowedSpeech>()
  const latest = useRef(session)
  useInsertionEffect(() => {
    latest.current = session
  })
  const isOn = wanted && silence !== undefined
  useEffect(() => {
    const ended = new AbortController()
    if (isOn)
      load()
        .then(({ followSpeech }) => followSpeech(() => latest.current, setSpeech, ended.signal))
        .catch((cause: unknown) => {
          if (process.env.NODE_ENV !== 'production')
            sayOnce(
              client.said,
              `Failed to wait for speech, so the stream stays open in silence: ${String(cause)}`,
            )
          const at = client.platform.wallNow()
          client.emit({ type: 'silence.unavailable', reason: 'code', product, key, at })
        })
    return () => ended.abort()
  }, [client, product, key, isOn])
  return speech?.client === client ? speech : undefined
}
