import type { Platform, TimerHandle } from '../../platform/platform.js'
import { seamlessSettings, SILENCE_MS, type StreamSettings } from '../machine/settings.js'
import type { StreamState } from '../machine/state.js'

/** Speech that `resend` keeps. */
interface KeptSpeech {
  readonly isUnfinished: () => boolean
  /** Time since the last word. */
  readonly quietMs: () => number
}

/** How often unfinished speech is looked at. */
const CHECK_MS = 100

interface SafeMomentOptions {
  readonly platform: Platform
  readonly settings: () => StreamSettings
  /** Monotonic time of the last send. */
  readonly lastSendAt: () => number
  /** With it quiet may be sent, and no word may wait for its final text. */
  readonly kept: () => KeptSpeech | undefined
  readonly onSafe: () => void
}

/** The generation of the connection that waits for a safe moment. */
function seeking(state: StreamState): number | undefined {
  if (state.status === 'rolling over' && state.standby.step === 'ready')
    return state.trial ? undefined : state.standby.generation
  return state.status === 'open' && state.retire?.seeking ? state.connection.generation : undefined
}

/** Waits for a silence, so that a rollover cuts off no speech. */
export function createSafeMoment({ platform, settings, lastSendAt, kept, onSafe }: SafeMomentOptions) {
  let sought: number | undefined
  let timer: TimerHandle | undefined

  function awaitSilence(silenceMs: number): void {
    const speech = kept()
    const quietMs = speech?.quietMs() ?? platform.now() - lastSendAt()
    const left = speech?.isUnfinished() ? CHECK_MS : silenceMs - quietMs
    if (left <= 0) onSafe()
    else timer = platform.setTimeout(() => awaitSilence(silenceMs), Math.ceil(left))
  }

  return {
    /** Waits for a moment while the state needs one. */
    watch(state: StreamState): void {
      const wanted = seeking(state)
      if (wanted === sought) return
      sought = wanted
      platform.clearTimeout(timer)
      timer = undefined
      if (wanted !== undefined) awaitSilence(seamlessSettings(settings()).silenceMs ?? SILENCE_MS)
    },
  }
}
