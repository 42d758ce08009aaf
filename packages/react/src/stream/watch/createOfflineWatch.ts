/**
 * `offline` may be wrong: a VPN on Windows says so while everything works. The event closes no connection.
 * This watch notes which connection was heard since, and at `online` the stream replaces one that was not:
 * the network may have changed, and a connection of the old network would never report its end.
 */
export function createOfflineWatch() {
  let isDoubted = false
  /** The connection that was heard last since `offline`. */
  let heard: number | undefined

  return {
    /** The browser says that it is offline. */
    start(): void {
      isDoubted = true
      heard = undefined
    },
    /** A handshake has succeeded, or a message has come. Cheap, because it is called for every message. */
    heard(generation: number): void {
      heard = generation
    },
    /** The browser is online again. Returns the generation if it was not heard since `offline`. */
    end(generation: number | undefined): number | undefined {
      const unheard = isDoubted && heard !== generation ? generation : undefined
      isDoubted = false
      return unheard
    },
  }
}
