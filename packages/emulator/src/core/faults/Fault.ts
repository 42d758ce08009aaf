import type { Product, RefusalCause, TokenErrorCode } from '@stagepass/contract'
import type { Coding, EncodedResponse, Endpoint, HttpResponse, OddFields } from '../request/http.js'
import type { RefusalForm, RefuseBy } from '../sockets/formatRefusal.js'

/**
 * Selects the requests of a fault. Default: every request to which this kind of fault can apply, until the
 * fault is removed.
 */
export interface FaultMatch {
  /** The endpoints; `meetings` stands for `list`, `meeting` and `tags`. */
  on?: Endpoint | 'meetings' | readonly (Endpoint | 'meetings')[] | undefined
  /** The product of a token request or a handshake. */
  product?: Product | undefined
  /** The request's path, without the query. */
  path?: string | RegExp | undefined
  /** Number of requests after which the fault is removed. Default: no limit. */
  times?: number | undefined
}

/** The kind of a malformed response. */
export type MalformedKind =
  'bad-json' | 'wrong-shape' | 'empty' | 'html' | 'oversized' | 'redirect' | 'endless'

/** The effect of a fault. It is plain data, which can be sent to another process. */
export type Effect =
  /** The error of the token endpoint, with the next request id. */
  | { readonly type: 'fail'; readonly code: TokenErrorCode }
  | {
      readonly type: 'refuse'
      readonly cause: RefusalCause
      readonly by: RefuseBy | undefined
      readonly form: RefusalForm | undefined
    }
  | { readonly type: 'respond'; readonly response: HttpResponse }
  | { readonly type: 'delay'; readonly ms: number }
  | { readonly type: 'drop'; readonly when: 'before-reading' | 'after-reading' | 'mid-response' }
  | { readonly type: 'close-idle'; readonly afterMs: number }
  | { readonly type: 'encoded'; readonly coding: Coding }
  | { readonly type: 'byte-order-mark' }
  | { readonly type: 'odd-fields'; readonly odd: OddFields }
  | { readonly type: 'malformed'; readonly response: EncodedResponse }
  | { readonly type: 'hang' }
  | { readonly type: 'mute'; readonly afterMs: number; readonly forMs: number }
  | { readonly type: 'blackhole' }
  | { readonly type: 'close'; readonly code: number; readonly reason: string }

/** A fault as data. `fail`, `delay`, `drop` and the other functions create it; pass it to `use`. */
export interface Fault {
  readonly effect: Effect
  readonly on: readonly Endpoint[]
  readonly product: Product | undefined
  readonly path: string | RegExp | undefined
  readonly times: number
  /** Only pages after the first one. */
  readonly onlyWithCursor?: boolean | undefined
}

/** How a refused handshake arrives. Default: the emulator's options. */
export interface RefuseOptions {
  refuseBy?: RefuseBy | undefined
  refusalForm?: RefusalForm | undefined
}

/** Second argument of `malformed`. */
export interface MalformedOptions {
  /** Default 200; 302 for `redirect`, 502 for `html`. */
  status?: number | undefined
  /** Size of an `oversized` body. Default 16 MiB. */
  bytes?: number | undefined
  /** Target of a `redirect`. Default: a path of the emulator that answers 404. */
  location?: string | undefined
}
