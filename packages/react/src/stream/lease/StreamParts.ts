import type { Client } from '../../identity/Client.js'
import type { OwnTokenSource } from '../../token/OwnTokenSource.js'
import type { LiveToken, SessionOffer } from '../../token/TokenSource.js'
import type { StepContext } from '../machine/attempt.js'
import type { StreamInput } from '../machine/input.js'
import type { StreamState } from '../machine/state.js'
import type { Socket } from '../../platform/socket.js'
import type { StreamSnapshot } from '../machine/snapshot.js'
import type { CheckHandshake } from '../wire/createHandshakeCheck.js'

/** An answer about free sessions is used for this time. */
export const ROOM_KNOWN_MS = 60_000

/** A request of a stream for a token. */
export interface TokenRequest {
  readonly signal: AbortSignal
  readonly notGeneration: number | undefined
}

/** A lease that is loaded. */
export interface HeldLease {
  /** The stream has a lease, or has asked for one. */
  readonly isAsking: () => boolean
  /** The token for an attempt. Rejects with a `VoiceError`. */
  readonly getToken: (request: TokenRequest) => Promise<LiveToken>
  /** The same, after the first answer of the BFF about the sessions. */
  readonly enter: (request: TokenRequest, answer: SessionOffer) => Promise<LiveToken>
}

/** A stream, for its lease. */
export interface StreamParts {
  readonly client: Client
  readonly key: string
  readonly tokens: OwnTokenSource
  readonly state: () => StreamState
  readonly step: (input: StreamInput) => void
  readonly socket: (generation: number | undefined) => Socket | undefined
  // These are replaced by the lease.
  transition: (state: StreamState, input: StreamInput, context: StepContext) => StreamState
  snapshotOf: (state: StreamState, retryAt: Date | null) => StreamSnapshot
  checkHandshake: CheckHandshake
  // These are added by it.
  held?: HeldLease
  /** A message has come. */
  tick?: () => void
}
