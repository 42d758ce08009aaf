import { useEffect } from 'react'
import type { VoiceSessionStatus } from './session/state.js'

/** From the press on: Safari gives a page its first lock only at a press (WebKit/WebKit 13104). */
const SCREEN_ON: readonly VoiceSessionStatus[] = ['starting', 'queued', 'active', 'recovering']

/**
 * Keeps the screen on during a session. `undefined`: on devices that are used with a finger, because a phone
 * that goes dark gives the page no more sound.
 */
export function useScreenOn(option: boolean | undefined, status: VoiceSessionStatus): void {
  const isOn = SCREEN_ON.includes(status)
  useEffect(() => {
    // jsdom has no media queries.
    if (isOn && (option ?? globalThis.matchMedia?.('(pointer: coarse)').matches)) return keepScreenOn()
    return undefined
  }, [option, isOn])
}

/**
 * Keeps the screen on until the returned function is called. Browsers let a screen go dark again while the
 * page is hidden, so it asks again when the page is shown. A browser that cannot, or that refuses (a battery
 * that is nearly empty, `Permissions-Policy: screen-wake-lock=()`), changes nothing.
 */
function keepScreenOn(): () => void {
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
