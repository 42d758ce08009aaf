import type { Platform, TimerHandle } from '../../platform/platform.js'

export interface SilenceWatchOptions {
  readonly platform: Platform
  /** Read at each round; `undefined`: a peer may be silent for ever. */
  readonly silenceMs: () => number | undefined
  readonly onSilent: () => void
}

/** A peer that says nothing is dead, where the application knows that it should speak. */
export interface SilenceWatch {
  /** Watches the connection of that generation; `undefined`: none. */
  watch(generation: number | undefined): void
  /** The peer spoke. Called for every message, and costs nothing. */
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
