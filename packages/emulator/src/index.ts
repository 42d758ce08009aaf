export { createEmulator } from './createEmulator.js'
export type { Emulator } from './Emulator.js'
export type { Clock } from './clock.js'
export type { Counts } from './counts.js'
export { acceptThenClose, answer, delay, drop, fail, hang, malformed, refuse } from './faults.js'
export type { Fault, FaultMatch, MalformedKind, MalformedOptions, RefuseOptions, Surface } from './faults.js'
export type { Answer, Query } from './http.js'
export type { Latency } from './latency.js'
export { LIMITERS } from './limiter.js'
export type { LimiterKind } from './limiter.js'
export type { EmulatorOptions, IdSource } from './options.js'
export { REFUSAL_FORMS } from './refusal.js'
export type { RefusalForm, RefuseBy } from './refusal.js'
export type { RecordedRequest } from './requestLog.js'
export { KEY_STATES } from './rows.js'
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
} from './rows.js'
export type { FrameCount, LiveSocket, ReceivedFrame } from './sockets.js'
export type { ApiKeyInput, CredentialInput, ReadyCredentials } from './store.js'
export type { Table } from './table.js'
