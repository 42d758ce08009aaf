export type { ScriptedConnection } from './createScriptedConnection.js'
export type {
  RefuseOptions,
  ScriptedMeeting,
  ScriptedRequest,
  ScriptedService,
  Times,
} from './ScriptedService.js'
export { createTestVoice, type TestVoice, type TestVoiceOptions } from './createTestVoice.js'
