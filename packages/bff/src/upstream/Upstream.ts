import type { HandshakeCheckAnswer, Product } from '@stagepass/contract'
import type { SlotRequest } from '../budget/Budget.js'
import type { UpstreamOperation } from '../context/events.js'
import type { Call } from '../context/RequestContext.js'
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
  /** The upstream's clock at its answer, or `undefined` where it has none. */
  readonly upstreamNowMs: number | undefined
}

export interface MeetingsRequest {
  /** Path and query under the meetings base, encoded. */
  readonly path: string
  readonly operation: UpstreamOperation
  /** Whose place in the budget's queue it takes. */
  readonly user: string
  readonly weight: SlotRequest['weight']
  readonly priority: SlotRequest['priority']
  readonly call: Call
}

/** A bearer credential that can be used and told apart, and not be read. */
export interface Credential {
  /** An HMAC of the value: equal for equal values, and worth nothing outside this process. */
  readonly identity: string
  /** The JSON of a meetings answer, asked for within the account's budget. */
  get(request: MeetingsRequest): Promise<unknown>
  /** The upstream refused it: asks the secret's function again. `undefined` where that has nothing else. */
  renew(call: Call): Promise<Credential | undefined>
}

/** The voice service, and the only file that sees the keys to it. */
export interface Upstream {
  mintToken(request: MintRequest, call: Call): Promise<MintedToken>
  openCredential(secret: Secret, user: string, call: Call): Promise<Credential>
  /** Opens a socket with the token in a header, and drops it. */
  tryHandshake(product: Product, sessionKey: string, call: Call): Promise<HandshakeCheckAnswer>
  close(): Promise<void>
}
