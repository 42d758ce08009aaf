import { cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { voiceTranslation } from '../../codecs/index.js'
import { useStream } from '../../stream/useStream.js'
import { createTestVoice } from '../../testing/createTestVoice.js'
import {
  arrived,
  detectLoud,
  eventsOf,
  numbers,
  renderSilentSession,
  words,
} from './silentSession.test.kit.js'
import { pageOf } from '../../client/pageOf.test.kit.js'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

it('closes the stream in silence, and opens it at the next speech with the sound from before it', async () => {
  using voice = createTestVoice()
  const { session, shown, pass, start } = renderSilentSession(voice)
  await start()
  voice.microphone.speak(words(0, 50))
  await pass(20_000)
  expect(session.current).toMatchObject({ status: 'waiting', stream: { status: 'closed' }, error: null })
  expect(voice.emulator.sockets).toHaveLength(0)
  expect(session.current.silence.savedMs).toBeGreaterThan(14_000)
  const before = voice.emulator.frames.length
  voice.microphone.speak(words(50, 100))
  await pass(2_000)
  expect(session.current).toMatchObject({ status: 'active', silence: { opens: 1 } })
  expect(arrived(voice)).toEqual(numbers(0, 100))
  // Half a second of sound goes before the words.
  const first = voice.emulator.frames.slice(before).findIndex(({ data }) => Number(data.at(1)) !== 0)
  expect(first).toBeGreaterThanOrEqual(25)
  expect(first).toBeLessThan(35)
  expect(shown).toEqual(['idle', 'starting', 'active', 'waiting', 'active'])
  expect(voice.emulator.counts).toMatchObject({ token: 1, handshake: 2 })
})

it('loses no word and repeats none, whenever the next one begins', async () => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice)
  await start()
  // The gaps end before, in and after the close of the stream.
  let said = 0
  for (let gapMs = 1_500; gapMs < 4_500; gapMs += 60) {
    voice.microphone.speak(words(said, (said += 10)))
    await pass(200 + gapMs)
  }
  await pass(5_000)
  expect(session.current.status).toBe('waiting')
  const heard = arrived(voice)
  expect(heard).toEqual(numbers(said - heard.length, said))
  expect(session.current.stream.stats()).toMatchObject({ dropped: 0 })
})

it('goes on with the same connection if the speech begins before the last words have come', async () => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice)
  await start()
  voice.microphone.speak(words(0, 10))
  // 2 s of silence, and the stream is finishing.
  await pass(2_500)
  expect(voice.emulator.sockets).toHaveLength(1)
  voice.microphone.speak(words(10, 20))
  await pass(1_000)
  expect(session.current).toMatchObject({ status: 'active', silence: { savedMs: 0, opens: 0 } })
  expect(arrived(voice)).toEqual(numbers(0, 20))
  expect(voice.emulator.counts.handshake).toBe(1)
})

it('is stopped and started while it waits', async () => {
  using voice = createTestVoice()
  const { session, shown, pass, run, start } = renderSilentSession(voice)
  await start(10_000)
  expect(session.current.status).toBe('waiting')
  run(() => session.current.stop())
  await pass(1_000)
  expect(session.current).toMatchObject({ status: 'idle', microphone: { status: 'idle' } })
  expect(session.current.silence.savedMs).toBeGreaterThan(5_000)
  expect(voice.emulator.counts.handshake).toBe(1)
  await start()
  expect(session.current).toMatchObject({ status: 'active', silence: { savedMs: 0, opens: 0 } })
  voice.microphone.speak(words(0, 10))
  await pass(10_000)
  expect(session.current.status).toBe('waiting')
  expect(arrived(voice)).toEqual(numbers(0, 10))
  // A second `start` is a wish to be heard now.
  await start()
  expect(session.current.status).toBe('active')
  await pass(10_000)
  expect(session.current.status).toBe('waiting')
  expect(shown.join(' ')).toBe(
    'idle starting active waiting stopping idle starting active waiting active waiting',
  )
  expect(eventsOf(voice, 'stream.dropped')).toEqual([])
})

it('closes the stream of a pause, and waits after it', async () => {
  using voice = createTestVoice()
  const { session, pass, run, start } = renderSilentSession(voice)
  await start()
  run(() => session.current.pause())
  voice.microphone.speak(words(0, 10))
  await pass(10_000)
  expect(session.current.status).toBe('paused')
  expect(voice.emulator.sockets).toHaveLength(0)
  run(() => session.current.resume())
  await pass(1_000)
  expect(session.current.status).toBe('waiting')
  voice.microphone.speak(words(10, 20))
  await pass(1_000)
  expect(session.current.status).toBe('active')
  expect(arrived(voice)).toEqual(numbers(10, 20))
})

it('closes the stream while the device is lost, and hears the first words of the next one', async () => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice)
  await start()
  voice.microphone.unplug()
  await pass(10_000)
  expect(session.current.status).toBe('recovering')
  expect(voice.emulator.sockets).toHaveLength(0)
  voice.microphone.plug()
  voice.microphone.speak(words(0, 20))
  await pass(5_000)
  expect(arrived(voice)).toEqual(numbers(0, 20))
})

it('keeps the words of a reconnect, and ends it in silence', async () => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice)
  await start()
  voice.emulator.sockets[0]?.drop()
  voice.microphone.speak(words(0, 50))
  await pass(2_000)
  expect(arrived(voice)).toEqual(numbers(0, 50))
  await pass(10_000)
  expect(session.current.status).toBe('waiting')
  expect(voice.emulator.sockets).toHaveLength(0)
})

it('has a live token whenever it opens, also after the first one has expired', async () => {
  // Then a token lives for ten minutes.
  using voice = createTestVoice({ usage: { minutesPerDay: 60 } })
  const { session, pass, run } = renderSilentSession(voice, { rollover: 'seamless' })
  run(() => session.current.start())
  const { counts } = voice.emulator
  await pass(11 * 60_000)
  expect(session.current.status).toBe('waiting')
  expect(counts).toMatchObject({ token: 2, handshake: 1 })
  voice.microphone.speak(words(0, 50))
  await pass(2_000)
  expect(session.current.status).toBe('active')
  expect(counts).toMatchObject({ token: 2, handshake: 2 })
  expect(arrived(voice)).toEqual(numbers(0, 50))
})

it('S62 drops the sound with the user, and shows no numbers of the one before', async () => {
  using voice = createTestVoice()
  const { session, pass, run, setUser, start } = renderSilentSession(voice)
  run(() => setUser('ada'))
  await start(10_000)
  expect(session.current.status).toBe('waiting')
  expect(session.current.silence.savedMs).toBeGreaterThan(5_000)
  // Too short to open the stream: it is kept.
  voice.microphone.speak(words(0, 2))
  await pass(200)
  run(() => setUser('ben'))
  expect(session.current).toMatchObject({ status: 'idle', silence: { savedMs: 0, opens: 0 } })
  await pass(1_000)
  await start()
  voice.microphone.speak(words(10, 20))
  await pass(1_000)
  expect(arrived(voice)).toEqual(numbers(10, 20))
})

it('waits for the server to be ready, with the words of the first utterance', async () => {
  using voice = createTestVoice()
  const codec = voiceTranslation({ source_language: 'en-US', target_language: 'es-ES', voice: 'female' })
  const { session, pass, start } = renderSilentSession(voice, { codec }, 'vt')
  await start(15_000)
  expect(session.current.status).toBe('waiting')
  const before = voice.emulator.frames.length
  voice.microphone.speak(words(0, 50))
  await pass(3_000)
  const [configuration, ...sound] = voice.emulator.frames.slice(before)
  expect(typeof configuration?.data).toBe('string')
  expect(sound.every(({ data }) => typeof data !== 'string')).toBe(true)
  expect(arrived(voice)).toEqual(numbers(0, 50))
})

it('keeps the stream open while the service still speaks', async () => {
  using voice = createTestVoice()
  // An `ArrayBuffer` of jsdom is not that of the service.
  const soundOf = (message: unknown) => new Int16Array(message as ArrayBuffer)
  const { session, pass, start } = renderSilentSession(voice, { soundOf })
  await start()
  // A sentence of 6 s, as fast as it is heard.
  for (let ms = 0; ms < 6_000; ms += 500) {
    voice.emulator.sockets[0]?.send(new Uint8Array(16_000).fill(10))
    await pass(500)
  }
  expect(voice.emulator.sockets).toHaveLength(1)
  expect(session.current.playback.counters().droppedMs).toBe(0)
  await pass(5_000)
  expect(session.current.status).toBe('waiting')
  expect(voice.loudspeaker.heard().filter((sample) => sample !== 0).length).toBe(12 * 8_000)
})

it('takes what is left of the sound of the page for an echo, and a user who speaks over it for speech', async () => {
  using voice = createTestVoice()
  const hears = (frame: Int16Array): boolean => frame.some((sample) => sample > 500)
  const { session, pass, run, start } = renderSilentSession(voice, {
    silence: { closeAfterMs: 2_000, detect: hears },
  })
  const play = (ms: number): void => session.current.playback.play(new Int16Array(16 * ms).fill(9_000))
  const echo = new Int16Array(16 * 2_500).fill(1_000)
  await start(10_000)
  run(() => play(3_000))
  await pass(300)
  voice.microphone.speak(echo)
  await pass(4_000)
  expect(session.current.status).toBe('waiting')
  // Without its playback the same sound is speech.
  voice.microphone.speak(echo)
  await pass(1_000)
  expect(session.current.status).toBe('active')
  await pass(10_000)
  expect(session.current.status).toBe('waiting')
  run(() => play(3_000))
  await pass(100)
  voice.microphone.speak(words(0, 50))
  await pass(1_000)
  expect(session.current.status).toBe('active')
  await pass(5_000)
  expect(arrived(voice)).toEqual(numbers(0, 50))
})

it('takes the end of an echo for an echo, which comes after the sound of the page', async () => {
  using voice = createTestVoice()
  const hears = (frame: Int16Array): boolean => frame.some((sample) => sample > 500)
  const { session, pass, run, start } = renderSilentSession(voice, {
    silence: { closeAfterMs: 2_000, detect: hears },
  })
  const echo = new Int16Array(16 * 200).fill(1_000)
  await start(10_000)
  run(() => session.current.playback.play(new Int16Array(16 * 1_000).fill(9_000)))
  await pass(500)
  expect(session.current.playback.level()).toBeGreaterThan(0)
  while (session.current.playback.level() > 0) await pass(20)
  voice.microphone.speak(echo)
  await pass(1_000)
  expect(session.current.status).toBe('waiting')
  // Half a second later it is no echo.
  voice.microphone.speak(echo)
  await pass(1_000)
  expect(session.current.status).toBe('active')
})

it('closes 2.5 s after the last word by default: no more sound after 2 s, and the last texts', async () => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice, { silence: { detect: detectLoud } })
  await start()
  voice.microphone.speak(words(0, 50))
  await pass(1_000 + 2_300)
  expect(voice.emulator.sockets).toHaveLength(1)
  const before = voice.emulator.frames.length
  await pass(100)
  expect(voice.emulator.frames.length).toBe(before)
  await pass(300)
  expect(session.current.status).toBe('waiting')
  expect(voice.emulator.sockets).toHaveLength(0)
})

it('asks for more after a false alarm, and keeps the stream open after five in a minute', async () => {
  using voice = createTestVoice()
  const hears = (frame: Int16Array): boolean => frame.some((sample) => sample > 50)
  const { session, pass, start } = renderSilentSession(voice, {
    silence: { closeAfterMs: 1_000, detect: hears },
  })
  /** A noise in which the service finds no word. */
  const noise = (frames: number): Int16Array => new Int16Array(320 * frames).fill(100)
  await start(10_000)
  voice.microphone.speak(noise(4))
  await pass(5_000)
  expect(session.current.silence.opens).toBe(1)
  // Enough before the false alarm, too little after it.
  voice.microphone.speak(noise(4))
  await pass(5_000)
  expect(session.current.silence.opens).toBe(1)
  for (let time = 0; time < 4; time += 1) {
    voice.microphone.speak(noise(20))
    await pass(5_000)
  }
  expect(session.current.silence.opens).toBe(5)
  expect(session.current.status).toBe('active')
  expect(eventsOf(voice, 'silence.kept_open')).toMatchObject([
    { product: 'stt', falseAlarms: 5, forMs: 60_000 },
  ])
  await pass(40_000)
  expect(session.current.status).toBe('active')
  await pass(30_000)
  expect(session.current.status).toBe('waiting')
  expect(voice.emulator.counts.handshake).toBe(6)
})

it('closes a stream that two sessions share when nobody speaks in either of them', async () => {
  using voice = createTestVoice()
  // It hears what the other one does, and finds speech in all of it.
  let isSpeaking = true
  const first = renderSilentSession(voice)
  const second = renderSilentSession(voice, {
    silence: { closeAfterMs: 2_000, detect: () => isSpeaking },
  })
  const { pass, run } = first
  run(() => first.session.current.start())
  run(() => second.session.current.start())
  await pass(10_000)
  expect(first.session.current.status).toBe('active')
  isSpeaking = false
  await pass(10_000)
  expect(first.session.current.status).toBe('waiting')
  expect(second.session.current.status).toBe('waiting')
  expect(voice.emulator.counts.handshake).toBe(1)
  isSpeaking = true
  await pass(1_000)
  expect([first, second].map(({ session }) => session.current.status)).toEqual(['active', 'active'])
  // The one that speaks is stopped while the other is silent.
  isSpeaking = false
  run(() => second.session.current.stop())
  await pass(10_000)
  expect(second.session.current.status).toBe('idle')
  expect(voice.emulator.sockets).toHaveLength(0)
})

it('leaves the stream open for a component that has enabled it', async () => {
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice)
  function Other({ enabled }: { enabled: boolean }) {
    return useStream('stt', { enabled }).status
  }
  const other = render(<Other enabled />, { wrapper: pageOf(voice.client) })
  await start(10_000)
  expect(session.current.status).toBe('active')
  expect(voice.emulator.sockets).toHaveLength(1)
  other.rerender(<Other enabled={false} />)
  await pass(5_000)
  expect(session.current.status).toBe('waiting')
  expect(other.container.textContent).toBe('closed')
})

it('stays open without a detector, and says so once', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.stubGlobal('WebAssembly', {
    instantiate: () => Promise.reject(new EvalError('Refused to compile WebAssembly')),
  })
  using voice = createTestVoice()
  // There is a policy in production first.
  vi.stubEnv('NODE_ENV', 'production')
  const { session, pass, start } = renderSilentSession(voice, { silence: { closeAfterMs: 1_000 } })
  expect(session.current.silence.unavailable).toBeNull()
  await start(10_000)
  voice.microphone.speak(words(0, 50))
  await pass(5_000)
  expect(session.current).toMatchObject({
    status: 'active',
    silence: { savedMs: 0, opens: 0, unavailable: 'detector' },
  })
  expect(arrived(voice)).toEqual(numbers(0, 50))
  expect(eventsOf(voice, 'silence.unavailable')).toMatchObject([{ product: 'stt', reason: 'detector' }])
  expect(logged.mock.calls.flat().join()).toContain("'wasm-unsafe-eval'")
  expect(logged).toHaveBeenCalledOnce()
})

it('stays open if the code of the option does not load, and says so once', async () => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  // As if the network had failed.
  vi.doMock('./followSpeech.js', () => {
    throw new TypeError('Failed to fetch dynamically imported module')
  })
  onTestFinished(() => vi.doUnmock('./followSpeech.js'))
  using voice = createTestVoice()
  const { session, pass, start } = renderSilentSession(voice)
  await start(10_000)
  voice.microphone.speak(words(0, 50))
  await pass(5_000)
  expect(session.current).toMatchObject({
    status: 'active',
    silence: { savedMs: 0, opens: 0, unavailable: 'code' },
  })
  expect(arrived(voice)).toEqual(numbers(0, 50))
  expect(eventsOf(voice, 'silence.unavailable')).toMatchObject([{ product: 'stt', reason: 'code' }])
  expect(logged).toHaveBeenCalledOnce()
})

it('stays open while the frames of a hidden page come late, and waits again when it is visible', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  using voice = createTestVoice()
  const { session, pass, run, start } = renderSilentSession(voice)
  const setHidden = (isHidden: boolean): void => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(isHidden ? 'hidden' : 'visible')
    document.dispatchEvent(new Event('visibilitychange'))
  }
  await start(10_000)
  expect(session.current.status).toBe('waiting')
  run(() => setHidden(true))
  await pass(1_000)
  // The page stands still for 1.5 s.
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_500)
  await pass(10_000)
  expect(session.current).toMatchObject({ status: 'active', silence: { unavailable: 'late frames' } })
  expect(eventsOf(voice, 'silence.unavailable')).toMatchObject([{ reason: 'late frames' }])
  run(() => setHidden(false))
  expect(session.current.silence.unavailable).toBeNull()
  await pass(10_000)
  expect(session.current.status).toBe('waiting')
})

it('lets go of the stream if the option is removed', async () => {
  using voice = createTestVoice()
  const { session, pass, rerender, start } = renderSilentSession(voice)
  await start(10_000)
  expect(session.current.status).toBe('waiting')
  rerender({ silence: undefined })
  await pass(10_000)
  expect(session.current.status).toBe('active')
  voice.microphone.speak(words(0, 10))
  await pass(1_000)
  expect(arrived(voice)).toEqual(numbers(0, 10))
})

it.each([
  [{ closeAfterMs: 5 }, 'closeAfterMs'],
  [{ closeAfterMs: NaN }, 'closeAfterMs'],
  [{ preRollMs: -1 }, 'preRollMs'],
  [{ preRollMs: 20_000 }, 'preRollMs'],
])('throws in the call of the hook if a number makes no sense: %o', (silence, name) => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  using voice = createTestVoice()
  expect(() => renderSilentSession(voice, { silence })).toThrow(RangeError)
  expect(() => renderSilentSession(voice, { silence })).toThrow(name)
})
