export type { ScriptedConnection } from './createScriptedConnection.js'
export type { RefuseOptions, ScriptedService, Times } from './ScriptedService.js'
export { createTestVoice } from './createTestVoice.js'
export type { TestVoice, TestVoiceOptions } from './createTestVoice.js'
