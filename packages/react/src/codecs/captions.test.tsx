import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { numbers, renderSilentSession, until, words } from '../audio/silence/silentSession.test.kit.js'
import { createTestVoice, type TestVoice } from '../testing/createTestVoice.js'
import { captions } from './captions.js'

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
  const { session, pass, run } = renderSilentSession(voice, { silence: undefined, codec: captions() })
  run(() => session.current.start())
  await pass(1_000)
  voice.microphone.speak(words(0, 600))
  await pass(5_000)
  break_(voice)
  await pass(10_000)
  await until(() => expect([...heard(voice)].toSorted((one, other) => one - other)).toEqual(numbers(0, 600)))
  expect(session.current.stream.stats().dropped).toBe(0)
  expect(voice.events.filter(({ type }) => type === 'stream.resent')).toHaveLength(1)
})

it('knows what is final, and until when', () => {
  const { decode, isFinal, finalUntilMs } = captions()
  const grows =
    '{"type":"transcript","text":"Good","final":false,"start":1.5,"duration":0.25,"utterance_id":"u1"}'
  expect(decode(grows)).toEqual([
    { text: 'Good', final: false, start: 1.5, duration: 0.25, utterance_id: 'u1' },
  ])
  expect(isFinal?.(grows)).toBe(false)
  expect(finalUntilMs?.(grows)).toBeUndefined()
  const ended = '{"text":"Good.","start":1.5,"duration":0.5}'
  expect(isFinal?.(ended)).toBe(true)
  expect(finalUntilMs?.(ended)).toBe(2_000)
  expect(finalUntilMs?.('{"text":"Good.","start":1.5}')).toBeUndefined()
})

it('ignores messages without a text', () => {
  const { decode, isFinal } = captions()
  for (const data of ['{', 'null', '7', '[]', '{"type":"finished"}', '{"text":7}', new ArrayBuffer(2)]) {
    expect(decode(data)).toEqual([])
    expect(isFinal?.(data)).toBeUndefined()
  }
})
