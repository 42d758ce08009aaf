import type { Product } from '@stagepass/contract'
import type { ReceivedData, SendData } from '../platform/socket.js'

/** What happens in a stream and is no event, because it happens too often. Only a listener costs time. */
export type StreamMoment = { readonly product: Product; readonly key: string } & (
  | {
      /** The application has sent data. It may still wait for its connection. */
      readonly type: 'sent'
      readonly data: SendData
    }
  | {
      /** `isFinal`: what the codec says of a text. It is called only if someone wants to know. */
      readonly type: 'received'
      readonly data: ReceivedData
      readonly isFinal: (data: ReceivedData) => boolean | undefined
    }
  | {
      /** Sound of the service was given to the playback. It is heard in `inMs`. */
      readonly type: 'played'
      readonly inMs: number
    }
  | {
      /** The microphone gave no sound for this time. */
      readonly type: 'standstill'
      readonly ms: number
    }
)
