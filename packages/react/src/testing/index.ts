/**
 * A voice client for tests, with the service and a BFF in the page.
 *
 * @module @stagepass/react/testing
 */
export { createTestVoice, type TestVoice, type TestVoiceOptions } from './createTestVoice.js'
export type { ScriptedLoudspeaker, ScriptedMicrophone, ScriptedStops } from './createScriptedSound.js'
