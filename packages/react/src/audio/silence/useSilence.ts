import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react'
import type { Product } from '@stagepass/contract'
import type { Client } from '../../identity/Client.js'
import { createListeners } from '../../events/createListeners.js'
import { sayOnce } from '../../errors/sayOnce.js'
import type { FollowedSession, FollowedSpeech } from './followSpeech.js'
import { NOTHING_SAVED } from './SilenceOptions.js'

/** A chunk of its own, so that only sessions with the option load it. */
const load = () => import('./followSpeech.js')

/** Not a state of React: React 18 would render a change of the stream before it, and alone. */
function createSpeech() {
  const changes = createListeners()
  let speech: FollowedSpeech | undefined
  return {
    read: () => speech,
    show: (next: FollowedSpeech): void => {
      speech = next
      changes.notify()
    },
    subscribe: changes.subscribe,
  }
}

/**
 * The option `silence` of a session, while `isOn`. `latest` has the session of the last render. Undefined
 * until the code of the option is loaded, and for good if that fails: then all frames pass.
 */
export function useSilence(
  latest: RefObject<FollowedSession>,
  client: Client,
  product: Product,
  key: string,
  isOn: boolean,
): FollowedSpeech | undefined {
  const [{ read, show, subscribe }] = useState(createSpeech)
  const speech = useSyncExternalStore(subscribe, read, read)
  useEffect(() => {
    const ended = new AbortController()
    if (isOn)
      load()
        .then(({ followSpeech }) => followSpeech(() => latest.current, show, ended.signal))
        .catch((cause: unknown) => {
          // In production the browser's own line is enough.
          if (process.env.NODE_ENV !== 'production')
            sayOnce(
              client.said,
              `Failed to wait for speech, so the stream stays open in silence: ${String(cause)}`,
            )
          show({ client, saved: { ...NOTHING_SAVED, unavailable: 'code' }, isWaiting: false })
          const at = client.platform.wallNow()
          client.emit({ type: 'silence.unavailable', reason: 'code', product, key, at })
        })
    return () => ended.abort()
  }, [latest, client, product, key, isOn, show])
  return speech?.client === client ? speech : undefined
}
