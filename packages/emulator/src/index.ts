/**
 * The voice service as a server in this process, for development and tests.
 *
 * @module @stagepass/emulator
 */
export { createEmulator, type Emulator } from './node/createEmulator.js'
export type { EmulatorOptions } from './node/options.js'
export * from './core/faults/faults.js'
export type {
  Fault,
  FaultMatch,
  MalformedKind,
  MalformedOptions,
  RefuseOptions,
} from './core/faults/Fault.js'
export type { LimiterKind } from './core/meetings/limiter.js'
export type { EmulatorClock } from './core/platform/clock.js'
export type { IdSource } from './core/platform/ids.js'
export type { Latency } from './core/platform/latency.js'
export type { Coding, Endpoint, HttpResponse, Query, RequestHeaders } from './core/request/http.js'
export type { Counts, RecordedRequest } from './core/request/requestLog.js'
export { REFUSAL_FORMS } from './core/sockets/formatRefusal.js'
export type { RefusalForm, RefuseBy } from './core/sockets/formatRefusal.js'
export type { FrameCount, LiveSocket, ReceivedFrame } from './core/sockets/sockets.js'
export { KEY_STATES } from './core/store/rows.js'
export type {
  AccountRow,
  ApiKeyRow,
  CredentialRow,
  KeyState,
  MeetingInput,
  MeetingRow,
  NoteBlock,
  SessionTokenRow,
  Transcript,
} from './core/store/rows.js'
export type { ApiKeyInput, BuiltInCredentials, CredentialInput } from './core/store/store.js'
export type { Table } from './core/store/table.js'
