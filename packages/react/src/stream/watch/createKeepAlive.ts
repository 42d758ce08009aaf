import type { Platform, TimerHandle } from '../../platform/platform.js'
import type { SendData } from '../../platform/socket.js'
import type { KeepAlive } from '../machine/settings.js'

interface KeepAliveOptions {
  readonly platform: Platform
  /** Read at each round; `undefined`: no heartbeat. */
  readonly keepAlive: () => KeepAlive | undefined
  /** Monotonic time of the last send. */
  readonly lastSendAt: () => number
  readonly send: (data: SendData) => void
}

/** Sends a heartbeat on an open connection while nothing else is sent. */
export function createKeepAlive({ platform, keepAlive, lastSendAt, send }: KeepAliveOptions) {
  let watched: number | undefined
  let openedAt = 0
  let timer: TimerHandle | undefined

  function round(): void {
    const beat = keepAlive()
    if (!beat) return
    const leftMs = Math.max(lastSendAt(), openedAt) + beat.everyMs - platform.now()
    if (leftMs <= 0) send(beat.message())
    timer = platform.setTimeout(round, leftMs > 0 ? Math.ceil(leftMs) : beat.everyMs)
  }

  return {
    /** Keeps the connection of this generation awake; `undefined`: none. */
    watch(generation: number | undefined): void {
      if (generation === watched) return
      watched = generation
      platform.clearTimeout(timer)
      openedAt = platform.now()
      if (generation !== undefined) round()
    },
  }
}
