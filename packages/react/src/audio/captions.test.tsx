import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { captions } from '../codecs/captions.js'
import { createTestVoice, type TestVoice } from '../testing/createTestVoice.js'
import { numbers, renderSilentSession, until, words } from './silence/silentSession.test.kit.js'

/** The least level of `words`. */
const LOUD = 5_000
const FRAME_SAMPLES = 320

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** The numbers of the words that the service heard, on any connection. */
const heard = (voice: TestVoice): Set<number> =>
  new Set(
    Object.values(voice.emulator.heard()).flatMap((sound) =>
      [...sound]
        .filter((level, at) => at % FRAME_SAMPLES === 0 && level >= LOUD)
        .map((level) => level - LOUD),
    ),
  )

it.each([
  ['that is lost', (voice: TestVoice) => voice.emulator.sockets[0]?.drop()],
  ['that takes sound and answers nothing', (voice: TestVoice) => voice.emulator.sockets[0]?.mute()],
])('loses no word of a session on a connection %s', async (_, break_) => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice, { silence: undefined, codec: captions() })
  await start()
  voice.microphone.speak(words(0, 600))
  await pass(5_000)
  break_(voice)
  await pass(10_000)
  await until(() => expect([...heard(voice)].toSorted((one, other) => one - other)).toEqual(numbers(0, 600)))
  expect(session.current.stream.stats().dropped).toBe(0)
  expect(voice.events.filter(({ type }) => type === 'stream.resent')).toHaveLength(1)
})
