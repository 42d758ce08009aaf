import type { Platform, TimerHandle } from '../../platform/platform.js'

interface ReceiveWatchOptions {
  readonly platform: Platform
  /** Read at each round; `undefined`: no limit. */
  readonly silenceMs: () => number | undefined
  readonly onSilent: () => void
}

/** Treats a connection as lost if no message came for `silenceMs`. */
export function createReceiveWatch({ platform, silenceMs, onSilent }: ReceiveWatchOptions) {
  let watched: number | undefined
  let heard = false
  let timer: TimerHandle | undefined

  function round(): void {
    const ms = silenceMs()
    heard = false
    if (ms === undefined) return
    timer = platform.setTimeout(() => (heard ? round() : onSilent()), ms)
  }

  return {
    /** Watches the connection of this generation; `undefined`: none. */
    watch(generation: number | undefined): void {
      if (generation === watched) return
      watched = generation
      platform.clearTimeout(timer)
      if (generation !== undefined) round()
    },
    /** A message came. Cheap, because it is called for every message. */
    heard(): void {
      heard = true
    },
  }
}
