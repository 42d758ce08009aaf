import type { Platform, TimerHandle } from '../../platform/platform.js'

export interface SilenceWatchOptions {
  readonly platform: Platform
  /** Read at each round; `undefined`: the server may be silent for ever. */
  readonly silenceMs: () => number | undefined
  readonly onSilent: () => void
}

/** Treats a connection as lost if no message came for `silenceMs`. */
export interface SilenceWatch {
  /** Watches the connection of that generation; `undefined`: none. */
  watch(generation: number | undefined): void
  /** A message came. Cheap, because it is called for every message. */
  heard(): void
}

export function createSilenceWatch({ platform, silenceMs, onSilent }: SilenceWatchOptions): SilenceWatch {
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
    watch(generation) {
      if (generation === watched) return
      watched = generation
      platform.clearTimeout(timer)
      if (generation !== undefined) round()
    },
    heard() {
      heard = true
    },
  }
}
