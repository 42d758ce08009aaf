export { createTestVoice, type TestVoice, type TestVoiceOptions } from './createTestVoice.js'
export type { ScriptedLoudspeaker, ScriptedMicrophone } from './createScriptedSound.js'
