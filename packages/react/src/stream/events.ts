import type { Product, VoiceErrorCode } from '@stagepass/contract'
import type { DropReason } from './createOutlet.js'

interface StreamEventBase {
  readonly product: Product
  /** The application's name for the stream; `default` where it gave none. */
  readonly key: string
  /** Wall-clock milliseconds since the epoch, by the page's clock. */
  readonly at: number
}

/** What happened to a stream. Never a token, never an address. `generation` numbers the connections. */
export type StreamEvent = StreamEventBase &
  (
    | {
        /** A handshake begins, on the token of that generation. */
        readonly type: 'stream.connecting'
        readonly generation: number
        readonly tokenGeneration: number
      }
    | {
        /** The stream is open. `tookMs` counts from the moment at which it was wanted, or was lost. */
        readonly type: 'stream.opened'
        readonly generation: number
        readonly tookMs: number
      }
    | {
        /** There is no connection, and why; the next try comes in `delayMs`, after so many failures in a row. */
        readonly type: 'stream.reconnecting'
        readonly code: VoiceErrorCode
        /** The number that the service or the BFF gave with it, such as 401. */
        readonly status: number | undefined
        readonly failures: number
        readonly delayMs: number
        /** How the socket was closed, where it was. */
        readonly closeCode: number | undefined
      }
    | {
        /** What the BFF found when it tried the handshake that the browser was refused. `code` is left out where it was let in. */
        readonly type: 'stream.checked'
        readonly code: VoiceErrorCode | undefined
        readonly status: number | undefined
      }
    | { readonly type: 'stream.rolling_over'; readonly generation: number }
    | {
        readonly type: 'stream.rolled_over'
        readonly from: number
        readonly generation: number
        /** From the next connection's standing ready to the switch. */
        readonly waitedMs: number
      }
    | {
        /** No second session: the connection stays, and is replaced by way of the queue when its token is nearly out. */
        readonly type: 'stream.rollover_refused'
        readonly code: VoiceErrorCode | undefined
        readonly status: number | undefined
      }
    | {
        /** What was not sent, and why; gathered, at most once a second. `total` counts over the stream's life. */
        readonly type: 'stream.dropped'
        readonly reason: DropReason
        readonly count: number
        readonly bytes: number
        readonly total: number
      }
    /** The application closed it, or nobody uses it any more. */
    | { readonly type: 'stream.closed' | 'stream.released' }
    | {
        readonly type: 'stream.failed'
        readonly code: VoiceErrorCode
        readonly status: number | undefined
        readonly retryable: boolean
        readonly reqId: string | undefined
      }
  )
