import type { ReceivedData, SendData } from './Socket.js'
import type { Greeting } from './settings.js'

/**
 * Types a stream both ways. `start` and `isReady` speak at the beginning of every connection; `encode` and `decode` for every message.
 */
export interface Codec<TSend, TMessage> extends Greeting {
  encode(message: TSend): SendData
  /** `undefined` for data that the application is not to see. */
  decode(data: ReceivedData): TMessage | undefined
}
