/** The parts of a browser that a page uses. Here they are connected to the emulator in the page. */
export interface Browser {
  readonly fetch: typeof globalThis.fetch
  readonly WebSocket: typeof globalThis.WebSocket
  /** Calls back with frames of sound. Returns what turns it off. */
  readonly listen: (onFrame: (frame: ArrayBuffer) => void) => () => void
}
