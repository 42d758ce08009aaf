/** A browser fires a timer of more milliseconds, 24.8 days, at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Handle of a timer of the platform: a number in browsers, an object in Node. */
export type TimerHandle = number | object

/**
 * Clock, timers, randomness and page events. They are one object, so that a test can run two hours of sleep
 * in a millisecond.
 */
export interface Platform {
  /** Monotonic milliseconds. Never jumps with the wall clock; may stop while the machine sleeps. */
  now(): number
  /**
   * Wall-clock milliseconds since the epoch. Compared only with its earlier values, to detect sleep; never
   * with a server's time.
   */
  wallNow(): number
  /** Called with at most 2^31 - 1 ms. */
  setTimeout(callback: () => void, delayMs: number): TimerHandle
  clearTimeout(handle: TimerHandle | undefined): void
  /** Uniform in [0, 1). */
  random(): number
  /** False if the platform says that there is no network. It may be wrong: a VPN can cause this. */
  isOnline(): boolean
  /**
   * Calls the listener when the page may have been away: visible again, restored from the back-forward cache,
   * focused, resumed, online. Returns a function that unsubscribes.
   */
  onWake(listener: (reason: WakeReason) => void): () => void
  /**
   * Calls the listener at once, and each time the page becomes visible or hidden. Returns a function that
   * unsubscribes. Default: the page is always visible.
   */
  watchVisibility?: ((listener: (isVisible: boolean) => void) => () => void) | undefined
  /** True on a server: no token is requested or kept there. Default false. */
  readonly isServer?: boolean | undefined
  /**
   * Calls the listener when the network is said to be lost, the page is about to be frozen or left, or the
   * application of a phone has been in the background for 30 s. Returns a function that unsubscribes.
   */
  onSuspend(listener: (reason: SuspendReason) => void): () => void
}

/** Event of the page after which deadlines are checked at once. */
export type WakeReason = 'visible' | 'pageshow' | 'focus' | 'resume' | 'online'
/** Event of the page after which nothing is sent or received for some time. `offline` may be wrong. */
export type SuspendReason = 'offline' | 'freeze' | 'pagehide' | 'background'
