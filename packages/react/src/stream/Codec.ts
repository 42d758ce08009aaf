import type { ReceivedData, SendData } from '../platform/socket.js'
import type { StreamSetup } from './machine/settings.js'

/**
 * Gives the messages of a stream their types, in both directions. `start` and `isReady` are used at the
 * beginning of every connection, `encode` and `decode` for every message. Sent bytes bypass `encode`.
 * Received bytes do go through `decode`: return them, or a playback stays silent.
 */
export interface Codec<TSend, TMessage> extends StreamSetup {
  /** Returns the data to send for a message that is not bytes. */
  readonly encode: (message: TSend) => SendData
  /** Returns the messages in the received data: none, one or more. */
  readonly decode: (data: ReceivedData) => readonly TMessage[]
}
