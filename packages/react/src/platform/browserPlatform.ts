import type { Platform, SuspendReason, WakeReason } from './platform.js'

/**
 * Clock, timers, randomness and page events of a browser. Safe to create on a server: no wake event occurs
 * there.
 */
export function browserPlatform(): Platform {
  return {
    now: () => performance.now(),
    wallNow: () => Date.now(),
    // eslint-disable-next-line no-restricted-globals -- sleepAware sets all timers by this one
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
    clearTimeout: (handle) => clearTimeout(handle as number | undefined),
    random: () => Math.random(),
    // Node has a navigator without onLine from version 21 on, and none before.
    isOnline: () => typeof navigator === 'undefined' || !('onLine' in navigator) || navigator.onLine,
    isServer: typeof window === 'undefined',
    onWake: (listener) =>
      listen<WakeReason>(listener, [
        [
          'document',
          'visibilitychange',
          () => (document.visibilityState === 'visible' ? 'visible' : undefined),
        ],
        ['document', 'resume', () => 'resume'],
        ['window', 'pageshow', () => 'pageshow'],
        ['window', 'focus', () => 'focus'],
        ['window', 'online', () => 'online'],
      ]),
    watchVisibility(listener) {
      if (typeof document === 'undefined') return () => {}
      const page = document
      const report = (): void => listener(page.visibilityState === 'visible')
      report()
      page.addEventListener('visibilitychange', report)
      return () => page.removeEventListener('visibilitychange', report)
    },
    onSuspend: (listener) =>
      listen<SuspendReason>(listener, [
        ['document', 'freeze', () => 'freeze'],
        ['window', 'pagehide', () => 'pagehide'],
        ['window', 'offline', () => 'offline'],
      ]),
  }
}

type Source<TReason> = readonly [
  target: 'document' | 'window',
  event: string,
  reason: () => TReason | undefined,
]

function listen<TReason>(
  listener: (reason: TReason) => void,
  sources: readonly Source<TReason>[],
): () => void {
  if (typeof window === 'undefined') return () => {}
  const removers = sources.map(([name, event, reasonOf]) => {
    const target: EventTarget = name === 'document' ? document : window
    // Bound now, because in a test the page may be gone before the last stream ends.
    const remove = target.removeEventListener.bind(target)
    const onEvent = (): void => {
      const reason = reasonOf()
      if (reason !== undefined) listener(reason)
    }
    target.addEventListener(event, onEvent)
    return () => remove(event, onEvent)
  })
  return () => {
    for (const remove of removers) remove()
  }
}
