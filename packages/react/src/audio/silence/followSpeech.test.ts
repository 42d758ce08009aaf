import { expect, it } from 'vitest'
import { clientOf } from '../../client/createVoiceClient.js'
import { streamsOf } from '../../stream/streamsOf.js'
import { createVirtualVoice, type VirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { followSpeech, type FollowedSession, type FollowedSpeech } from './followSpeech.js'
import type { SilenceOptions } from './SilenceOptions.js'

/** A session of the current user, and a function that ends its use of the stream. */
function open(voice: VirtualVoice, silence: SilenceOptions) {
  const client = clientOf(voice.client)
  const stream = streamsOf(client).of('stt', 'default')
  const leave = stream.join({ enabled: true, settings: () => ({}) })
  const session: FollowedSession = {
    client,
    product: 'stt',
    stream,
    soundOf: () => undefined,
    microphone: { status: 'capturing' },
    playback: { level: () => 0 },
    sampleRate: 16_000,
    microphoneOptions: undefined,
    silence,
    wanted: true,
  }
  return { session, leave, status: () => stream.snapshot().status }
}

it('S35 a frame that comes late to the gate of a user who has left is sent on no stream', async () => {
  const voice = createVirtualVoice()
  const silence = { detect: () => true }
  voice.client.setUser('ada')
  const { session, leave } = open(voice, silence)
  let latest = session
  let speech: FollowedSpeech | undefined
  const ended = new AbortController()
  followSpeech(
    () => latest,
    (next) => (speech = next),
    ended.signal,
  )
  await voice.advance(100)
  speech?.push?.(new ArrayBuffer(640))
  voice.client.setUser('ben')
  leave()
  latest = open(voice, silence).session
  ended.abort()
  await voice.advance(100)
  speech?.push?.(new ArrayBuffer(640))
  await voice.advance(200)
  const [ada, ben] = voice.service.connections
  expect([ada?.identity.user, ben?.identity.user]).toEqual(['ada', 'ben'])
  expect([ada?.received.length, ben?.received.length]).toEqual([1, 0])
})

it('closes the stream in silence, although a session before had a wrong number', async () => {
  const voice = createVirtualVoice()
  const first = open(voice, { closeAfterMs: 5 })
  const { signal } = new AbortController()
  expect(() =>
    followSpeech(
      () => first.session,
      () => {},
      signal,
    ),
  ).toThrow(RangeError)
  first.leave()
  await voice.advance(1_000)
  const second = open(voice, { closeAfterMs: 1_000, detect: () => false })
  let speech: FollowedSpeech | undefined
  followSpeech(
    () => second.session,
    (next) => (speech = next),
    signal,
  )
  for (let ms = 0; ms < 5_000; ms += 20) {
    speech?.push?.(new ArrayBuffer(640))
    await voice.advance(20)
  }
  expect(second.status()).toBe('closed')
  expect(speech?.isWaiting).toBe(true)
})
