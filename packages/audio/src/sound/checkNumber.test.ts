import { expect, it } from 'vitest'
import { createMicrophone } from '../microphone/createMicrophone.js'
import { createPlayback } from '../playback/createPlayback.js'
import { pacedFrames } from './pacedFrames.js'

const WRONG = [NaN, -1, '16000', null] as unknown[] as number[]

it.each([...WRONG, 0, Infinity])('a rate of %j is refused at the call', async (sampleRate) => {
  const sentence = `Failed to set sampleRate: it is ${String(sampleRate)}. Give a number from 1000 to 768000.`
  expect(() => createPlayback({ sampleRate })).toThrow(sentence)
  expect(() => createMicrophone({ sampleRate })).toThrow(sentence)
  await expect(pacedFrames(new Int16Array(1), { sampleRate }).next()).rejects.toThrow(sentence)
})

it.each(WRONG)('a time or a volume of %j is refused at the call', (wrong) => {
  expect(() => createPlayback({ cushionMs: wrong })).toThrow(/cushionMs: .* Give a number from 0 to 60000\./)
  expect(() => createPlayback({ maxBufferedMs: wrong })).toThrow(/maxBufferedMs: .* of at least 0\./)
  const playback = createPlayback()
  expect(() => playback.setVolume(wrong)).toThrow(/volume: .* from 0 to 1\./)
  expect(() => playback.setDucking(wrong)).toThrow(/ducking: .* from 0 to 1\./)
})

it('Infinity is no limit for the sound that waits', () => {
  expect(createPlayback({ maxBufferedMs: Infinity }).status).toBe('idle')
})
