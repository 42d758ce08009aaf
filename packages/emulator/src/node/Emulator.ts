import type { Clock } from '../core/platform/clock.js'
import type { Counts } from '../core/request/counts.js'
import type { Fault } from '../core/faults/faults.js'
import type { RecordedRequest } from '../core/request/requestLog.js'
import type {
  AccountRow,
  ApiKeyRow,
  CredentialRow,
  KeyState,
  MeetingInput,
  MeetingRow,
  SessionTokenRow,
} from '../core/store/rows.js'
import type { LiveSocket, ReceivedFrame } from '../core/sockets/sockets.js'
import type { ReadyCredentials } from '../core/store/store.js'
import type { Table } from '../core/store/table.js'

/** A running stand-in for the upstream service. */
export interface Emulator {
  /** `{base_url}` of the token endpoint. */
  readonly baseUrl: string
  /** `{streaming_url}` of the sockets. */
  readonly streamingUrl: string
  /** Base of the meetings interface. */
  readonly meetingsUrl: string
  /** A valid API key: `keys.valid`. */
  readonly apiKey: string
  /** A valid bearer credential: `credentials.main`. */
  readonly meetingsCredential: string
  /** A ready-made API key in each state. */
  readonly keys: Readonly<Record<KeyState, string>>
  readonly credentials: ReadyCredentials

  /** Rows to read and change while it runs. */
  readonly accounts: Table<AccountRow>
  readonly apiKeys: Table<ApiKeyRow>
  readonly credentialRows: Table<CredentialRow>
  readonly tokens: Table<SessionTokenRow>
  /** `add` takes a row in part and completes it; `add` and `update` throw on a row that cannot be right, and change nothing then. */
  readonly meetings: Table<MeetingRow, MeetingInput>

  /** The last 10,000 requests, handshakes included, oldest first. */
  readonly requests: readonly RecordedRequest[]
  readonly counts: Readonly<Counts>
  /** The open sockets, oldest first. */
  readonly sockets: readonly LiveSocket[]
  /** Frames received on all sockets, in the order of arrival; how many are kept is the option `recordFrames`. */
  readonly frames: readonly ReceivedFrame[]
  readonly clock: Clock

  /** Puts a fault in front of those in force. Returns its undo. */
  use(fault: Fault): () => void
  /** Back to the start: rows, faults, sockets, counts, logs, limits, ids, clock. Requests under way are dropped. */
  reset(): void
  /** Drops everything and stops listening. A second call does nothing. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
