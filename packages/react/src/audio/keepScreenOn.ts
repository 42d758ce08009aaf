/**
 * Keeps the screen on until the returned function is called. Browsers let a screen go dark again while the
 * page is hidden, so it asks again when the page is shown. A browser that cannot, or that refuses (a battery
 * that is nearly empty, `Permissions-Policy: screen-wake-lock=()`), changes nothing.
 */
export function keepScreenOn(): () => void {
  const gone = new AbortController()
  let lock: Promise<WakeLockSentinel | undefined> = Promise.resolve(undefined)
  // One after the other, so that no lock is forgotten.
  function take(): void {
    lock = lock.then(async (held) => {
      if (gone.signal.aborted || document.visibilityState !== 'visible' || held?.released === false)
        return held
      try {
        return await navigator.wakeLock.request('screen')
      } catch {
        return undefined
      }
    })
  }
  take()
  document.addEventListener('visibilitychange', take, { signal: gone.signal })
  return () => {
    gone.abort()
    void lock.then((held) => held?.release())
  }
}
