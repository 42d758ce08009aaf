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
}
