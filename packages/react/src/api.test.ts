import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import * as audio from './audio/index.js'
import * as codecs from './codecs/index.js'
import * as devtools from './devtools/index.js'
import * as main from './index.js'
import * as testing from './testing/index.js'
import * as transcript from './transcript/index.js'

it('exports from @stagepass/react', () => {
  expect(Object.keys(main).toSorted()).toMatchInlineSnapshot(`
    [
      "VoiceError",
      "VoiceProvider",
      "authorizedUrl",
      "createVoiceClient",
      "isVoiceError",
      "meetingOptions",
      "meetingsOptions",
      "sessionTokenOptions",
      "tagsOptions",
      "tokenSource",
      "useEndless",
      "useMeeting",
      "useMeetings",
      "useSessionToken",
      "useStream",
      "useStreamValue",
      "useTags",
      "useUsage",
      "useVitals",
      "useVoiceClient",
    ]
  `)
})

it('exports from @stagepass/react/audio', () => {
  expect(Object.keys(audio).toSorted()).toMatchInlineSnapshot(`
    [
      "useMicrophone",
      "useMicrophonePermission",
      "useMicrophones",
      "usePlayback",
      "usePushToTalk",
      "useRecovery",
      "useSpeakers",
      "useVoiceSession",
    ]
  `)
})

it('exports from @stagepass/react/codecs', () => {
  expect(Object.keys(codecs).toSorted()).toMatchInlineSnapshot(`
    [
      "InvalidMessage",
      "captions",
      "json",
      "speech",
      "voiceTranslation",
    ]
  `)
})

it('exports from @stagepass/react/transcript', () => {
  expect(Object.keys(transcript).toSorted()).toMatchInlineSnapshot(`
    [
      "selectText",
      "selectTranscript",
      "selectTranslation",
      "toSrt",
      "toText",
      "toVtt",
      "useFollowEnd",
      "useTranscript",
    ]
  `)
})

it('exports from @stagepass/react/testing', () => {
  expect(Object.keys(testing).toSorted()).toMatchInlineSnapshot(`
    [
      "createTestVoice",
    ]
  `)
})

it('exports from @stagepass/react/devtools', () => {
  expect(Object.keys(devtools).toSorted()).toMatchInlineSnapshot(`
    [
      "VoicePanel",
      "recordVoice",
    ]
  `)
})

it('has only the entries that are tested here', () => {
  const { exports } = JSON.parse(readFileSync('packages/react/package.json', 'utf8')) as { exports: object }
  expect(Object.keys(exports)).toEqual([
    '.',
    './audio',
    './codecs',
    './transcript',
    './testing',
    './devtools',
    './package.json',
  ])
})
