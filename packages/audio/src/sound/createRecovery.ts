import { onDeviceChange } from './devices.js'

/** Between two tries. Android's browsers report no change of devices. */
const EVERY_MS = 2_000
/**
 * Changes of devices come in bursts: a headset is a microphone and a loudspeaker, and the list is complete
 * late.
 */
const DEBOUNCE_MS = 250

/** When to look for a device that was lost. */
export function createRecovery() {
  let ended = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined

  function stop(): void {
    ended.abort()
    clearTimeout(timer)
  }

  return {
    /**
     * Calls back 2 s after the last time, and when devices came or went, until `stop` or the next `start`.
     */
    start(attempt: () => void): void {
      stop()
      ended = new AbortController()
      const attemptIn = (ms: number): void => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          attemptIn(EVERY_MS)
          attempt()
        }, ms)
      }
      attemptIn(EVERY_MS)
      onDeviceChange(() => attemptIn(DEBOUNCE_MS), ended.signal)
    },
    stop,
  }
}
