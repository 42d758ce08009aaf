import type { SpeechGateOptions } from '@stagepass/audio'

/** When a session closes its stream in silence, and opens it again. Each has a default. */
export type SilenceOptions = Pick<SpeechGateOptions, 'closeAfterMs' | 'preRollMs' | 'detect'>

/** What silence has saved since the last `start` of a session. */
export interface SilenceState {
  /**
   * Milliseconds in which the stream was closed although the session was on. While it is closed, the number
   * is updated once a second.
   */
  readonly savedMs: number
  /** How many times speech has opened the stream again. */
  readonly opens: number
  /**
   * Why the stream stays open in silence, so that its minutes count; null while it does not. `code`: the code
   * of the option did not load. `detector`: the detector of speech did not load, most often because a
   * Content-Security-Policy forbids WebAssembly. `late frames`: the page is hidden, and the frames of its
   * microphone come late.
   */
  readonly unavailable: 'code' | 'detector' | 'late frames' | null
}

export const NOTHING_SAVED: SilenceState = { savedMs: 0, opens: 0, unavailable: null }
