/** Options of a playback. Each has a default. */
export interface PlaybackOptions {
  /** Rate of the samples. Default 16,000. */
  readonly sampleRate?: number | undefined
  /** Sound that is collected before the first sample is heard, and again after an underrun. Default 120. */
  readonly cushionMs?: number | undefined
  /** Most sound that may wait to be heard; more is dropped and counted. Default 30,000. */
  readonly maxBufferedMs?: number | undefined
  /** The loudspeaker, if the browser lets a page choose one (Chromium). Default: the system's. */
  readonly deviceId?: string | undefined
  /**
   * `false`: nothing is heard here, and the sound is only in `stream()`, as for a call. Default `true`.
   */
  readonly audible?: boolean | undefined
  /**
   * Called with the data of a `mark` when the sound before it has been heard, within one animation frame
   * (with the system's delay, if it is known). `skipped`: that sound was dropped by `interrupt`, by `close`, or
   * because the loudspeaker failed. Annotate the parameter with the type of your data.
   */
  onHeard?(data: unknown, how: { readonly skipped: boolean }): void
  /**
   * Address of `@stagepass/audio/playback.worklet.js`. Default: next to this module, where Vite, webpack,
   * Parcel and plain ESM find it.
   */
  readonly workletUrl?: string | URL | undefined
}

/** Counters since the playback was created. */
export interface PlaybackCounters {
  /** Audible gaps, because samples came too late. */
  readonly underruns: number
  /** Pauses of the sender: all was heard and nothing came for a second, or `endOfSpeech` was called. */
  readonly pauses: number
  readonly interrupts: number
  /** Sound that was not heard: too much waited, or it was too old when the browser allowed sound. */
  readonly droppedMs: number
}
