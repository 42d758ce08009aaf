import { focusManager, onlineManager } from '@tanstack/react-query'
import { AppState } from 'react-native'
import { createListeners } from '../events/createListeners.js'
import type { Platform, SuspendReason, TimerHandle, WakeReason } from './platform.js'

/** Nothing of the phone's cookie jar is sent: a phone signs in by `headers`. (security.md, S61.) */
export const CREDENTIALS = 'omit'

/** After this time in the background the application counts as away. */
const AWAY_MS = 30_000

/**
 * Clock, timers, randomness and events of a phone. The network is that of TanStack Query's `onlineManager`.
 * The application is in front if TanStack Query's `focusManager` and React Native's `AppState` agree: a
 * manager that is not connected says always that it is.
 *
 *               leaves the front                30 s
 *     front ──────────────────────▶ behind ─────────────▶ away     onSuspend('background')
 *       ▲                             │                    │
 *       └─────────────────────────────┴────────────────────┘ comes back
 *               onWake('visible')        onWake('resume')
 *
 * A phone may stop the application before its timer fires. The time is then counted when it comes back, and
 * both events are reported, in this order.
 */
export function createPlatform(): Platform {
  const wakes = createListeners<[reason: WakeReason]>()
  const suspends = createListeners<[reason: SuspendReason]>()
  const visibility = createListeners<[isVisible: boolean]>()
  let status: 'front' | 'behind' | 'away' = 'front'
  let leftAt = { monotonic: 0, wall: 0 }
  let timer: TimerHandle | undefined
  let stop = (): void => {}

  function leave(): void {
    status = 'away'
    suspends.notify('background')
  }

  function follow(): void {
    const isInFront = focusManager.isFocused() && AppState.currentState !== 'background'
    if (isInFront === (status === 'front')) return
    // eslint-disable-next-line no-restricted-globals -- a short, constant time
    clearTimeout(timer as number | undefined)
    if (!isInFront) {
      status = 'behind'
      leftAt = { monotonic: performance.now(), wall: Date.now() }
      // eslint-disable-next-line no-restricted-globals -- a short, constant time
      timer = setTimeout(leave, AWAY_MS)
    } else {
      // The monotonic clock of a phone stops while it sleeps, and the wall clock may be set back.
      const awayMs = Math.max(performance.now() - leftAt.monotonic, Date.now() - leftAt.wall)
      if (status === 'behind' && awayMs >= AWAY_MS) leave()
      const reason = status === 'away' ? 'resume' : 'visible'
      status = 'front'
      wakes.notify(reason)
    }
    visibility.notify(isInFront)
  }

  function start(): () => void {
    status = 'front'
    follow()
    const appState = AppState.addEventListener('change', follow)
    const unsubscribes = [
      focusManager.subscribe(follow),
      onlineManager.subscribe((isOnline) => {
        if (isOnline) wakes.notify('online')
        else suspends.notify('offline')
      }),
      () => appState.remove(),
      // eslint-disable-next-line no-restricted-globals -- a short, constant time
      () => clearTimeout(timer as number | undefined),
    ]
    return () => unsubscribes.forEach((unsubscribe) => unsubscribe())
  }

  const isUnused = (): boolean => [wakes, suspends, visibility].every(({ isEmpty }) => isEmpty())

  /** Listens to the phone while anything listens to this platform. */
  function listen(subscribe: () => () => void): () => void {
    if (isUnused()) stop = start()
    const unsubscribe = subscribe()
    return () => {
      unsubscribe()
      if (isUnused()) stop()
    }
  }

  return {
    now: () => performance.now(),
    wallNow: () => Date.now(),
    // eslint-disable-next-line no-restricted-globals -- sleepAware sets all timers by this one
    setTimeout: (callback, delayMs) => setTimeout(callback, delayMs),
    clearTimeout: (handle) => clearTimeout(handle as number | undefined),
    random: () => Math.random(),
    isOnline: () => onlineManager.isOnline(),
    onWake: (listener) => listen(() => wakes.subscribe(listener)),
    onSuspend: (listener) => listen(() => suspends.subscribe(listener)),
    watchVisibility: (listener) =>
      listen(() => {
        listener(status === 'front')
        return visibility.subscribe(listener)
      }),
  }
}
