/** Options of a microphone. Each has a default. */
export interface MicrophoneOptions {
  /** Default 16,000. */
  readonly sampleRate?: number | undefined
  /**
   * Sound that the application has, in place of a microphone: of a tab, a call or a file. A function is
   * called at each start, and again when the sound was lost; if it rejects with a `NotAllowedError`, the
   * microphone is `failed`. Only the first live audio track is heard, mixed with nothing. It stays yours: it
   * is not stopped, and `setMuted` does not mute it. `deviceId` and `processing` have no effect.
   */
  readonly source?: MediaStream | (() => MediaStream | Promise<MediaStream>) | undefined
  /**
   * What the browser does to the sound. Default: echo cancellation, noise suppression and gain control on.
   */
  readonly processing?: MediaTrackConstraints | undefined
  /**
   * Where `@stagepass/audio/capture.worklet.js` is served. Default: beside this module, where Vite,
   * webpack, Parcel and plain ESM find it by themselves.
   */
  readonly workletUrl?: string | URL | undefined
}
