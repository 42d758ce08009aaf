import { createListeners } from '../events/createListeners.js'
import type { Platform, SuspendReason, WakeReason } from '../platform/platform.js'

interface Timer {
  readonly id: number
  readonly at: number
  readonly callback: () => void
}

/** A platform for tests. Its time passes only by `advance`. */
interface VirtualPlatform extends Platform {
  /** Lets `ms` pass. Runs the timers that become due, in order, and the promises between them. */
  readonly advance: (ms: number) => Promise<void>
  /**
   * The machine sleeps: the wall clock runs on, the monotonic clock and the timers stop. No event reports it.
   */
  sleep(ms: number): void
  /** Sets the wall clock. */
  setWall(ms: number): void
  readonly wake: (reason: WakeReason) => void
  readonly suspend: (reason: SuspendReason) => void
  readonly setOnline: (online: boolean) => void
  /** The page is hidden, or visible again. */
  readonly setVisible: (isVisible: boolean) => void
  /** Timers that are armed. */
  readonly timers: number
}

export interface VirtualPlatformOptions {
  /** Wall-clock start in milliseconds since the epoch. Default 2026-01-01. */
  readonly wallStart?: number | undefined
  /** Default: always 0.5. */
  readonly random?: (() => number) | undefined
}

/** Builds a platform of virtual time. */
export function createVirtualPlatform(options: VirtualPlatformOptions = {}): VirtualPlatform {
  let monotonic = 1_000
  let wallAhead = (options.wallStart ?? Date.UTC(2026, 0, 1)) - monotonic
  let online = true
  let visible = true
  let nextId = 1
  const timers = new Map<number, Timer>()
  const wakes = createListeners<[reason: WakeReason]>()
  const views = createListeners<[isVisible: boolean]>()
  const suspends = createListeners<[reason: SuspendReason]>()

  function nextTimer(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers.values()) {
      if (timer.at <= until && (!next || timer.at < next.at)) next = timer
    }
    return next
  }

  return {
    now: () => monotonic,
    wallNow: () => monotonic + wallAhead,
    setTimeout(callback, delayMs) {
      const id = nextId++
      // A browser's timer with a delay of more than 31 bits fires at once.
      timers.set(id, { id, at: monotonic + (delayMs > 2 ** 31 - 1 ? 0 : Math.max(0, delayMs)), callback })
      return id
    },
    clearTimeout(handle) {
      if (typeof handle === 'number') timers.delete(handle)
    },
    random: options.random ?? (() => 0.5),
    isOnline: () => online,
    onWake: wakes.subscribe,
    onSuspend: suspends.subscribe,
    watchVisibility(listener) {
      listener(visible)
      return views.subscribe(listener)
    },
    async advance(ms) {
      const until = monotonic + ms
      await flushPromises()
      for (let timer = nextTimer(until); timer; timer = nextTimer(until)) {
        monotonic = Math.max(monotonic, timer.at)
        timers.delete(timer.id)
        timer.callback()
        await flushPromises()
      }
      monotonic = until
    },
    sleep(ms) {
      wallAhead += ms
    },
    setWall(ms) {
      wallAhead = ms - monotonic
    },
    wake: wakes.notify,
    suspend: suspends.notify,
    setOnline(value) {
      online = value
      if (value) wakes.notify('online')
      else suspends.notify('offline')
    },
    setVisible(value) {
      visible = value
      views.notify(value)
      if (value) wakes.notify('visible')
    },
    get timers() {
      return timers.size
    },
  }
}

/** Lets all ready promises continue. Counts turns, because it must not use a real clock. */
async function flushPromises(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await Promise.resolve()
}
