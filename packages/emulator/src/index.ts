export { createEmulator } from './node/createEmulator.js'
export type { Emulator } from './node/Emulator.js'
export type { Clock } from './core/platform/clock.js'
export type { Counts } from './core/request/counts.js'
export { acceptThenClose, answer, delay, drop, fail, hang, malformed, refuse } from './core/faults/faults.js'
export type {
  Fault,
  FaultMatch,
  MalformedKind,
  MalformedOptions,
  RefuseOptions,
  Surface,
} from './core/faults/faults.js'
export type { Answer, Query } from './core/request/http.js'
export type { Latency } from './core/platform/latency.js'
export { LIMITERS } from './core/meetings/limiter.js'
export type { LimiterKind } from './core/meetings/limiter.js'
export type { EmulatorOptions, IdSource } from './core/options.js'
export { REFUSAL_FORMS } from './core/sockets/refusal.js'
export type { RefusalForm, RefuseBy } from './core/sockets/refusal.js'
export type { RecordedRequest } from './core/request/requestLog.js'
export { KEY_STATES } from './core/store/rows.js'
export type {
  AccountRow,
  ApiKeyRow,
  CredentialRow,
  KeyState,
  MeetingInput,
  MeetingRow,
  NoteBlock,
  NoteBlockInput,
  SessionTokenRow,
  Transcript,
  TranscriptInput,
} from './core/store/rows.js'
export type { FrameCount, LiveSocket, ReceivedFrame } from './core/sockets/sockets.js'
export type { ApiKeyInput, CredentialInput, ReadyCredentials } from './core/store/store.js'
export type { Table } from './core/store/table.js'
