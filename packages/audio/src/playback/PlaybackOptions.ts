/** Options of a playback. Each has a default. */
export interface PlaybackOptions {
  /** Rate of the samples. Default 16,000. */
  readonly sampleRate?: number | undefined
  /** Sound gathered before the first sample is heard, and again after samples came too late. Default 120. */
  readonly cushionMs?: number | undefined
  /** What may wait to be heard; what comes on top is dropped and counted. Default 30,000. */
  readonly maxBufferedMs?: number | undefined
  /** The loudspeaker, where the browser lets a page choose one (Chromium). Default: that of the system. */
  readonly deviceId?: string | undefined
  /**
   * Called with the data of a `mark` within one animation frame of when the sound before it has been heard.
   * The system's delay is counted if it says so. `skipped`: that sound was dropped by `interrupt`, by
   * `close`, or because the loudspeaker failed. Annotate the parameter with the type that you mark with.
   */
  onHeard?(data: unknown, how: { readonly skipped: boolean }): void
  /**
   * Where `@stagepass/audio/playback.worklet.js` is served. Default: beside this module, where Vite,
   * webpack, Parcel and plain ESM find it by themselves.
   */
  readonly workletUrl?: string | URL | undefined
}

/** What became of the sound since the playback was created. */
export interface PlaybackCounters {
  /** Gaps heard because samples came too late. */
  readonly underruns: number
  /** Times when all was heard and nothing came for a second, or `endOfSpeech` was called. */
  readonly pauses: number
  readonly interrupts: number
  /** Samples that were not heard: too many waited, or they were too old when the browser let sound out. */
  readonly droppedMs: number
}
