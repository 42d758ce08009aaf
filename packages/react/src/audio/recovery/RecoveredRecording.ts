/** Sound that a page could not have made into text: it crashed, was closed, or had no network. */
export interface RecoveredRecording {
  readonly startedAt: Date
  readonly durationMs: number
  /**
   * Sends it to the service, on the stream of the same product and key. A component with that stream must be
   * mounted, and the stream must not be open: it opens, its listeners get the texts, and it closes after the
   * last one. Resolves then. What became final is deleted, and the rest stays; without `persist` all of it, if a
   * connection was lost or the last text did not come. Rejects if the stream fails, or lost a connection and
   * something stays.
   */
  readonly send: () => Promise<void>
  /** Saves it as a WAV file. It stays in the list. */
  readonly download: () => Promise<void>
  /** Deletes it. */
  readonly discard: () => Promise<void>
}
