import { watchDevices } from './devices.js'

/** Between two tries. Android's browsers report no change of devices. */
const EVERY_MS = 2_000
/** Changes of devices come in bursts: a headset is a microphone and a loudspeaker, and its list settles late. */
const SETTLE_MS = 250

export interface Recovery {
  /** Calls back 2 s after the last time, and when devices came or went, until `stop` or the next `start`. */
  start(attempt: () => void): void
  stop(): void
}

/** When to look for a device that was lost. */
export function createRecovery(): Recovery {
  let stop = (): void => {}

  return {
    start(attempt) {
      stop()
      const ended = new AbortController()
      let timer: ReturnType<typeof setTimeout> | undefined
      const attemptIn = (ms: number): void => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          attemptIn(EVERY_MS)
          attempt()
        }, ms)
      }
      attemptIn(EVERY_MS)
      watchDevices(() => attemptIn(SETTLE_MS), ended.signal)
      stop = () => {
        ended.abort()
        clearTimeout(timer)
      }
    },
    stop: () => stop(),
  }
}
