/** Options of a microphone. Each has a default. */
export interface MicrophoneOptions {
  /** Default 16,000. */
  readonly sampleRate?: number | undefined
  /**
   * What the browser does to the sound. Default: echo cancellation, noise suppression and gain control on.
   */
  readonly processing?: MediaTrackConstraints | undefined
  /**
   * Where `@stagepass/react/audio/capture.worklet.js` is served. Default: beside this module, where Vite,
   * webpack, Parcel and plain ESM find it by themselves.
   */
  readonly workletUrl?: string | URL | undefined
}
