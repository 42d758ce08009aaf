import type { Platform } from './platform.js'

/** Cookies are sent to a BFF on the page's own origin. */
export const CREDENTIALS = 'same-origin'

/**
 * Clock, timers, randomness and page events of a browser. Safe to create on a server: no wake event occurs
 * there.
 */
export function createPlatform(): Platform {
  return {
    now: () => performance.now(),
    wallNow: () => Date.now(),
    // eslint-disable-next-line no-restricted-globals -- sleepAware sets all timers by this one
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
    clearTimeout: (handle) => clearTimeout(handle as number | undefined),
    random: () => Math.random(),
    // Node has a navigator without onLine from version 21 on, and none before.
    isOnline: () => (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine !== false,
    isServer: typeof window === 'undefined',
    onWake: (listener) =>
      listen(['visibilitychange', 'resume'], ['pageshow', 'focus', 'online'], (name) => {
        if (name !== 'visibilitychange') listener(name)
        else if (document.visibilityState === 'visible') listener('visible')
      }),
    watchVisibility(listener) {
      const page = globalThis.document as Document | undefined
      const report = (): void => page && listener(page.visibilityState === 'visible')
      report()
      return listen(['visibilitychange'], [], report)
    },
    onSuspend: (listener) => listen(['freeze'], ['pagehide', 'offline'], listener),
  }
}

/** Calls the listener with the name of each event. Returns a function that unsubscribes. */
function listen<TName extends string>(
  ofDocument: readonly TName[],
  ofWindow: readonly TName[],
  listener: (name: TName) => void,
): () => void {
  if (typeof window === 'undefined') return () => {}
  const onEvent = ({ type }: Event): void => listener(type as TName)
  const stopped = new AbortController()
  const { signal } = stopped
  for (const name of ofDocument) document.addEventListener(name, onEvent, { signal })
  for (const name of ofWindow) window.addEventListener(name, onEvent, { signal })
  return () => stopped.abort()
}
