import { after, type Timer } from './after.js'
import { onDeviceChange } from './devices.js'

/** Time between two attempts. Android's browsers report no change of devices. */
const EVERY_MS = 2_000
/**
 * Changes of devices come in bursts: a headset is a microphone and a loudspeaker, and the list is not
 * complete at once.
 */
const DEBOUNCE_MS = 250

/** Decides when to look for a lost device. */
export function createRecovery() {
  let ended = new AbortController()
  let timer: Timer | undefined

  function stop(): void {
    ended.abort()
    clearTimeout(timer)
  }

  return {
    /**
     * Calls `attempt` after `firstMs` (default 2,000), then every 2 s, and when devices were added or
     * removed, until `stop` or the next `start`.
     */
    start(attempt: () => void, firstMs = EVERY_MS): void {
      stop()
      ended = new AbortController()
      const attemptIn = (ms: number): void => {
        clearTimeout(timer)
        timer = after(() => {
          attemptIn(EVERY_MS)
          attempt()
        }, ms)
      }
      attemptIn(firstMs)
      onDeviceChange(() => attemptIn(DEBOUNCE_MS), ended.signal)
    },
    stop,
  }
}
