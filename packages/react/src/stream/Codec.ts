import type { ReceivedData, SendData } from '../platform/socket.js'
import type { StreamSetup } from './machine/settings.js'

/**
 * Types a stream both ways. `start` and `isReady` are used at the beginning of every connection, `encode` and
 * `decode` for every message. Bytes that the application sends do not reach `encode`. Bytes that come do
 * reach `decode`: pass them on, or a playback stays silent.
 */
export interface Codec<TSend, TMessage> extends StreamSetup {
  /** What the socket is given for a message that is not bytes. */
  readonly encode: (message: TSend) => SendData
  /** The messages that the data holds: none, one or more. */
  readonly decode: (data: ReceivedData) => readonly TMessage[]
}
