import { answered } from './microphones.js'

/**
 * Whether the page may use a microphone. `'prompt'`: the browser will ask the user. `'granted'`: it will not
 * ask. `'denied'`: it will refuse. `'unknown'`: it does not say.
 */
export type MicrophonePermission = 'prompt' | 'granted' | 'denied' | 'unknown'

/**
 * Calls the listener with the permission, and again when it changes. It does not ask the user. Returns a
 * function that unsubscribes.
 */
export function watchMicrophonePermission(listener: (permission: MicrophonePermission) => void): () => void {
  const gone = new AbortController()
  const { signal } = gone
  let last: MicrophonePermission | undefined
  let asked = 0
  // The browser may answer an earlier question later.
  function refresh(): void {
    const mine = (asked += 1)
    void queryMicrophone().then((status) => {
      if (mine !== asked || signal.aborted) return
      status?.addEventListener('change', refresh, { signal, once: true })
      const permission = status?.state ?? 'unknown'
      if (permission !== last) listener((last = permission))
    })
  }
  refresh()
  // Not every browser sends the event `change`.
  const unsubscribe = answered.subscribe(refresh)
  // React Native has no such function.
  window.addEventListener?.('visibilitychange', refresh, { signal })
  return () => {
    unsubscribe()
    gone.abort()
  }
}

/** `undefined` in a page that is not secure, in a simulated one, and in browsers that do not know the name. */
async function queryMicrophone(): Promise<PermissionStatus | undefined> {
  try {
    return await navigator.permissions.query({ name: 'microphone' })
  } catch {
    return undefined
  }
}
