import type { EmulatorClock } from './platform/clock.js'
import type { Fault } from './faults/Fault.js'
import type { Counts, RecordedRequest } from './request/requestLog.js'
import type {
  AccountRow,
  ApiKeyRow,
  CredentialRow,
  KeyState,
  MeetingInput,
  MeetingRow,
  SessionTokenRow,
} from './store/rows.js'
import type { LiveSocket, ReceivedFrame } from './sockets/sockets.js'
import type { BuiltInCredentials } from './store/store.js'
import type { Table } from './store/table.js'
import type { IncomingRequest, IncomingUpgrade } from './Transport.js'

/** The emulator without its transport. */
export interface EmulatorCore {
  readonly handle: EmulatorHandle
  handleRequest(request: IncomingRequest): void
  handleUpgrade(upgrade: IncomingUpgrade): void
}

/** The interface for tests, the same for every transport. */
export interface EmulatorHandle {
  /** A valid API key: `keys.valid`. */
  readonly apiKey: string
  /** A valid bearer credential: `credentials.main`. */
  readonly meetingsCredential: string
  /** A built-in API key in each state. */
  readonly keys: Readonly<Record<KeyState, string>>
  readonly credentials: BuiltInCredentials

  /** Rows that a test may read and change at any time. */
  readonly accounts: Table<AccountRow>
  readonly apiKeys: Table<ApiKeyRow>
  readonly credentialRows: Table<CredentialRow>
  readonly tokens: Table<SessionTokenRow>
  /**
   * `add` accepts a partial row and adds the defaults. If a row is not valid, `add` and `update` throw and
   * change nothing.
   */
  readonly meetings: Table<MeetingRow, MeetingInput>

  /** The last 10,000 requests, handshakes included, oldest first. */
  readonly requests: readonly RecordedRequest[]
  readonly counts: Readonly<Counts>
  /** The open sockets, oldest first. */
  readonly sockets: readonly LiveSocket[]
  /**
   * Messages received on all sockets, in the order of arrival. The option `recordFrames` limits their number.
   */
  readonly frames: readonly ReceivedFrame[]
  /**
   * How long each of the last 10,000 connections was open, in milliseconds by the clock: what a service that
   * charges for open connections would bill. The keys are the ids of `sockets`, in the order of opening. An
   * open connection counts up to now.
   *
   * @example
   * const billed = Object.values(upstream.billedMs()).reduce((sum, ms) => sum + ms, 0)
   */
  billedMs(): Readonly<Record<string, number>>
  /**
   * The sound that each connection has heard: 16-bit PCM, 16 kHz, by the ids of `sockets`, in the order of
   * opening. Not what was sent to a connection that is mute. Half an hour of sound is kept.
   */
  heard(): Readonly<Record<string, Int16Array>>
  readonly clock: EmulatorClock

  /** Adds a fault. The newest one is tried first. Returns a function that removes it. */
  use(fault: Fault): () => void
  /**
   * Restores the initial state: rows, faults, sockets, counts, logs, limits, ids, clock. Requests in flight
   * are dropped.
   */
  reset(): void
}
