import type { HandshakeCheckResponse, Product } from '@stagepass/contract'
import type { Slot } from '@stagepass/budget'
import type { BffError } from '../errors/BffError.js'
import type { UpstreamOperation } from '../events/events.js'
import type { RequestContext } from '../request/RequestContext.js'
import type { Secret } from '../settings/Secret.js'

/** Body of the upstream's `POST /v2/sdk/tokens/session`. */
export interface MintRequest {
  readonly usage_type: Product
  readonly expiration_ttl: number | undefined
  readonly metadata: { readonly session_id: string } | undefined
}

export interface MintedToken {
  readonly session_key: string
  readonly type: 'session'
  readonly status: string
  /** ISO 8601 with a zone. */
  readonly expires_at: string
  readonly expiresAtMs: number
  /** The upstream's clock at its response, or `undefined` if it sent none. */
  readonly upstreamNowMs: number | undefined
}

export type MeetingsOperation = Exclude<UpstreamOperation, 'session-token' | 'handshake'>

export interface UpstreamMeetingsRequest {
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  readonly operation: MeetingsOperation
  readonly context: RequestContext
  /** The right to send it. It is released when the request has ended. */
  readonly slot: Slot
}

/** The body of a 2xx, or a 429 with its `Retry-After`. */
export type MeetingsAnswer =
  { readonly body: unknown } | { readonly error: BffError; readonly retryAfterMs: number | undefined }

/** A bearer credential that can be used and compared, but not read. */
export interface Credential {
  /** A name of the value in this process: equal for equal values. */
  readonly id: string
  /** Sends one request to the meetings interface. Rejects with what any other response or none means. */
  get(request: UpstreamMeetingsRequest): Promise<MeetingsAnswer>
  /**
   * After the upstream refused it: calls the secret's function again. `undefined` if that returns the same.
   */
  renew(context: RequestContext): Promise<Credential | undefined>
}

/** The voice service. Only this room uses the keys. */
export interface Upstream {
  mintToken(request: MintRequest, context: RequestContext): Promise<MintedToken>
  openCredential(secret: Secret, user: string, context: RequestContext): Promise<Credential>
  /** Opens a socket with the token in a header, and closes it. */
  tryHandshake(product: Product, sessionKey: string, context: RequestContext): Promise<HandshakeCheckResponse>
  /** Where the requests of an operation go. */
  addressOf(operation: UpstreamOperation): URL
  close(): Promise<void>
}
