import type { SendData } from '../../platform/socket.js'

/**
 * Sound beside the queue: it waits for its connection without a limit of age, and a later connection may get it
 * again. Positions count all sound of the stream.
 */
export interface SoundLane {
  /** Takes a frame that was sent at this time. False: it is not sound, and goes to the queue. */
  readonly push: (data: SendData, at: number) => boolean
  /** All sound before this position was taken. */
  readonly end: () => number
  /** The current connection has got all sound before this position. */
  readonly cursor: () => number
  /**
   * The next sound to send, up to the position `until`; `undefined`: none now. Without `isPaced` it does not
   * wait, although the service may hear it slower.
   */
  readonly next: (until: number, isPaced: boolean) => Uint8Array | undefined
  /** The next sound of this length was sent. */
  readonly sent: (bytes: number) => void
  /** Frames that wait. */
  readonly waiting: () => number
  /** Age of the oldest sound that waits. */
  readonly waitsMs: () => number
}
