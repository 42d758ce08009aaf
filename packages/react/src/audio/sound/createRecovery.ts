import { watchDevices } from './devices.js'

/** Between two tries. Android's browsers report no change of devices. */
const EVERY_MS = 2_000
/** Changes of devices come in bursts: a headset is a microphone and a loudspeaker, and its list settles late. */
const SETTLE_MS = 250

export interface Recovery {
  /** Calls back every 2 s, and when devices came or went, until `stop` or the next `start`. */
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
      const timer = setInterval(attempt, EVERY_MS)
      let settling: ReturnType<typeof setTimeout> | undefined
      watchDevices(() => {
        clearTimeout(settling)
        settling = setTimeout(attempt, SETTLE_MS)
      }, ended.signal)
      stop = () => {
        ended.abort()
        clearInterval(timer)
        clearTimeout(settling)
      }
    },
    stop: () => stop(),
  }
}
