/** Options of a microphone. Each has a default. */
export interface MicrophoneOptions {
  /** Default 16,000. */
  readonly sampleRate?: number | undefined
  /**
   * Sound of the application in place of a microphone: from a tab, a call or a file. A function is called at
   * each start, and again when the sound was lost; if it rejects with a `NotAllowedError`, the microphone is
   * `failed`. The first live audio track is used, and never stopped or muted. `deviceId` and `processing` have
   * no effect.
   */
  readonly source?: MediaStream | (() => MediaStream | Promise<MediaStream>) | undefined
  /** Sound processing of the browser. Default: echo cancellation, noise suppression and gain control on. */
  readonly processing?: MediaTrackConstraints | undefined
  /**
   * Address of `@stagepass/audio/capture.worklet.js`. Default: next to this module, where Vite, webpack,
   * Parcel and plain ESM find it.
   */
  readonly workletUrl?: string | URL | undefined
}
