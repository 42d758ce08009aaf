import { expect, it } from 'vitest'
import * as audio from './index.js'

it('exports from @stagepass/audio', () => {
  expect(Object.keys(audio).toSorted()).toMatchInlineSnapshot(`
    [
      "AudioError",
      "FRAME_MS",
      "SAMPLE_RATE",
      "createMicrophone",
      "createPlayback",
      "createSpeechGate",
      "listDevices",
      "pacedFrames",
      "speechTimes",
      "watchDevices",
      "watchMicrophonePermission",
    ]
  `)
})
