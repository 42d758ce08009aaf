import { describe, expect, it } from 'vitest'
import { createPlayback } from './createPlayback.js'
import { fakeLoudspeaker } from './fakeLoudspeaker.test.kit.js'

const speech = (ms: number): Int16Array<ArrayBuffer> => new Int16Array(ms * 16).fill(8_000)

const loudest = (samples: readonly number[]): number => samples.reduce((most, one) => Math.max(most, one), 0)

it('plays until all sound was heard', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback({ cushionMs: 100 })
  playback.unlock()
  await speaker.pass(50)
  playback.play(speech(200).buffer)
  expect(playback.status).toBe('playing')
  expect(playback.bufferedMs()).toBe(200)
  await speaker.pass(200)
  // The first 100 ms were the silent cushion.
  expect(playback.bufferedMs()).toBeGreaterThan(90)
  expect(playback.bufferedMs()).toBeLessThan(110)
  await speaker.pass(150)
  expect(playback.status).toBe('idle')
  expect(playback.bufferedMs()).toBe(0)
  expect(loudest(speaker.heard)).toBeCloseTo(8_000 / 0x8000, 1)
})

it('drops live sound that came while nothing could be heard, except the cushion', async () => {
  using speaker = fakeLoudspeaker({ allowed: false })
  const playback = createPlayback({ cushionMs: 100 })
  for (let i = 0; i < 50; i += 1) {
    playback.play(speech(20))
    await speaker.pass(20)
  }
  expect(playback.status).toBe('blocked')
  expect(playback.bufferedMs()).toBe(1_000)
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(10)
  expect(playback.status).toBe('playing')
  expect(playback.bufferedMs()).toBeLessThanOrEqual(100)
  expect(playback.counters().droppedMs).toBe(900)
})

it.each([
  ['at first', 0],
  ['later', 25],
])('takes live sound for live, though the page stood still %s', async (_when, stoodAt) => {
  using speaker = fakeLoudspeaker({ allowed: false })
  const playback = createPlayback({ cushionMs: 100 })
  for (let i = 0; i < 50; i += 1) {
    playback.play(speech(20))
    if (i < stoodAt || i > stoodAt + 12) await speaker.pass(20)
    if (i === stoodAt) await speaker.pass(240)
  }
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(10)
  expect(playback.counters().droppedMs).toBe(900)
})

it('keeps short sentences of a sender that is faster than speech, with pauses of any length between them', async () => {
  using speaker = fakeLoudspeaker({ allowed: false })
  const playback = createPlayback()
  for (const seconds of [2, 5]) {
    for (let i = 0; i < 30; i += 1) playback.play(speech(20))
    await speaker.pass(seconds * 1_000)
  }
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(10)
  expect(playback.counters().droppedMs).toBe(0)
  expect(playback.bufferedMs()).toBeGreaterThan(1_180)
})

it('keeps all sound of a sender that is faster than speech, and the end of the speech', async () => {
  using speaker = fakeLoudspeaker({ allowed: false })
  const playback = createPlayback()
  playback.play(speech(5_000))
  await speaker.pass(1_000)
  playback.endOfSpeech()
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(100)
  expect(playback.bufferedMs()).toBeGreaterThan(4_800)
  expect(playback.counters().droppedMs).toBe(0)
  await speaker.pass(5_200)
  expect(playback.status).toBe('idle')
  expect(playback.counters()).toMatchObject({ underruns: 0, pauses: 1 })
})

it('keeps a word that came at once, even if the start is slow', async () => {
  using speaker = fakeLoudspeaker({ allowed: false })
  const playback = createPlayback()
  playback.play(speech(200))
  playback.play(speech(200))
  await speaker.pass(1_000)
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(10)
  expect(playback.bufferedMs()).toBeGreaterThan(380)
  expect(playback.counters().droppedMs).toBe(0)
})

it('keeps no more than `maxBufferedMs`, and counts the dropped sound', () => {
  using _speaker = fakeLoudspeaker()
  const playback = createPlayback({ maxBufferedMs: 500, cushionMs: 0 })
  for (let i = 0; i < 8; i += 1) playback.play(speech(100))
  expect(playback.bufferedMs()).toBeLessThanOrEqual(500)
  expect(playback.counters().droppedMs).toBe(300)
})

it('is empty at once when it is interrupted, and plays the next sound', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback()
  playback.unlock()
  playback.play(speech(3_000))
  await speaker.pass(500)
  playback.interrupt()
  expect(playback.status).toBe('idle')
  expect(playback.bufferedMs()).toBe(0)
  playback.play(speech(300))
  expect(playback.bufferedMs()).toBe(300)
  await speaker.pass(30)
  expect(playback.bufferedMs()).toBeGreaterThan(290)
  await speaker.pass(500)
  expect(playback.status).toBe('idle')
  expect(playback.counters()).toMatchObject({ interrupts: 1, underruns: 0 })
})

it('can be muted before it begins, and while it plays', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback()
  playback.setMuted(true)
  playback.play(speech(2_000))
  await speaker.pass(500)
  expect(playback.level()).toBe(0)
  expect(loudest(speaker.heard)).toBe(0)
  playback.setVolume(0.5)
  playback.setMuted(false)
  await speaker.pass(100)
  expect(playback.level()).toBeCloseTo(4_000 / 0x8000, 2)
})

it('waits while it is paused, also on a loudspeaker that is opened meanwhile, and reports the heard position', async () => {
  using speaker = fakeLoudspeaker()
  const heard: unknown[] = []
  const playback = createPlayback({ onHeard: (data) => heard.push(data) })
  playback.setPaused(true)
  playback.play(speech(500))
  playback.mark('end')
  await speaker.pass(2_000)
  expect(loudest(speaker.heard)).toBe(0)
  expect([playback.paused, playback.bufferedMs(), playback.positionMs(), heard]).toEqual([true, 500, 0, []])
  playback.setPaused(false)
  await speaker.pass(250)
  playback.setPaused(true)
  await speaker.pass(100)
  const at = playback.positionMs()
  await speaker.pass(1_000)
  expect(playback.positionMs()).toBe(at)
  expect(at).toBeGreaterThan(150)
  playback.setPaused(false)
  await speaker.pass(500)
  expect([playback.paused, playback.status, playback.positionMs(), heard]).toEqual([
    false,
    'idle',
    500,
    ['end'],
  ])
  expect(playback.counters()).toMatchObject({ underruns: 0, droppedMs: 0 })
})

it('has the chosen volume again after it was ducked, also if it was chosen meanwhile', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback()
  playback.play(speech(3_000))
  playback.setVolume(0.5)
  await speaker.pass(500)
  const levels: number[] = []
  const listen = async (): Promise<void> => {
    // The first report is still about the time before.
    await speaker.pass(100)
    levels.push(playback.level() / (8_000 / 0x8000))
  }
  await listen()
  playback.setDucking(0.2)
  await listen()
  playback.setVolume(1)
  await listen()
  playback.setDucking(1)
  await listen()
  expect(levels.map((level) => Math.round(level * 100) / 100)).toEqual([0.5, 0.1, 0.2, 1])
})

it('adds the delays of filter and system to the waiting sound', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback()
  playback.play(speech(500))
  await speaker.pass(200)
  expect(playback.latencyMs() - playback.bufferedMs()).toBeCloseTo(31.5, 5)
})

it('does not read the delay of the output in Firefox, because this may block the page', async () => {
  using speaker = fakeLoudspeaker({ userAgent: 'Mozilla/5.0 (X11; rv:153.0) Gecko/20100101 Firefox/153.0' })
  const playback = createPlayback()
  playback.play(speech(500))
  await speaker.pass(200)
  Object.defineProperty(speaker.contexts[0], 'outputLatency', { get: () => expect.unreachable() })
  expect(playback.latencyMs() - playback.bufferedMs()).toBeCloseTo(11.5, 5)
})

it('reports why it cannot play, does not open a context for each message, and tries again when it is unlocked', async () => {
  using speaker = fakeLoudspeaker()
  speaker.speakers.loads = false
  const playback = createPlayback()
  playback.play(speech(100))
  await speaker.pass(10)
  expect(playback.status).toBe('failed')
  expect(playback.error).toMatchObject({ code: 'WORKLET_BLOCKED' })
  playback.play(speech(100))
  expect(speaker.contexts).toHaveLength(1)
  speaker.speakers.loads = true
  playback.unlock()
  playback.play(speech(300))
  await speaker.pass(10)
  expect(playback.status).toBe('playing')
  expect(playback.error).toBe(null)
})

it('plays on the default loudspeaker while the chosen one is missing', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback({ deviceId: 'headset' })
  playback.unlock()
  await speaker.pass(10)
  const [context] = speaker.contexts
  expect(context!.sinkId).toBe('headset')
  speaker.speakers.known.delete('headset')
  await speaker.pass(2_100)
  expect(context!.sinkId).toBe('')
  speaker.speakers.known.add('headset')
  await speaker.pass(2_100)
  expect(context!.sinkId).toBe('headset')
  playback.setDevice(undefined)
  await speaker.pass(10)
  expect(context!.sinkId).toBe('')
  expect(speaker.contexts).toHaveLength(1)
})

it('plays on the loudspeaker that was chosen last, also if the one before is still being set', async () => {
  using speaker = fakeLoudspeaker()
  const playback = createPlayback()
  playback.unlock()
  await speaker.pass(10)
  const context = speaker.contexts[0]!
  const set = context.setSinkId.bind(context)
  let finish = (): void => {}
  const isFinished = new Promise<void>((resolve) => (finish = resolve))
  // As in a browser: what is set already is done at once.
  context.setSinkId = async (id) => {
    if (id === context.sinkId) return
    await isFinished
    await set(id)
  }
  playback.setDevice('headset')
  await speaker.pass(10)
  playback.setDevice(undefined)
  await speaker.pass(10)
  finish()
  await speaker.pass(10)
  expect(context.sinkId).toBe('')
})

describe('marks', () => {
  /** A playback in virtual time, and the time at which each mark was heard, in ms of played sound. */
  function open(options: { allowed?: boolean } = {}) {
    const speaker = fakeLoudspeaker(options)
    const heard: { data: unknown; skipped: boolean; atMs: number }[] = []
    const playback = createPlayback({
      cushionMs: 100,
      onHeard: (data: string, { skipped }) => heard.push({ data, skipped, atMs: speaker.heard.length / 48 }),
    })
    return { speaker, playback, heard, [Symbol.dispose]: () => speaker[Symbol.dispose]() }
  }
  /** The fake system's own delay. */
  const SYSTEM_MS = 30
  const FRAME_MS = 17

  it('are reported within a frame after the sound before them was heard', async () => {
    using page = open()
    const { speaker, playback, heard } = page
    playback.unlock()
    await speaker.pass(50)
    playback.mark('begin')
    playback.play(speech(200))
    playback.mark('word')
    playback.play(speech(150))
    playback.mark('end')
    await speaker.pass(600)
    expect(heard.map(({ data, skipped }) => [data, skipped])).toEqual([
      ['begin', false],
      ['word', false],
      ['end', false],
    ])
    const beganAtMs = speaker.heard.findIndex((sample) => sample !== 0) / 48
    for (const [index, ms] of [200, 350].entries()) {
      const late = heard[index + 1]!.atMs - beganAtMs - SYSTEM_MS - ms
      expect(late).toBeGreaterThan(-5)
      expect(late).toBeLessThan(FRAME_MS)
    }
    expect(playback.positionMs()).toBe(350)
  })

  it('show the position of the listener', async () => {
    using page = open()
    const { speaker, playback } = page
    expect(playback.positionMs()).toBe(0)
    playback.play(speech(1_000))
    await speaker.pass(400)
    const last = playback.positionMs()
    expect(playback.bufferedMs() + last).toBeCloseTo(1_000 - SYSTEM_MS, -1)
    await speaker.pass(100)
    expect(playback.positionMs() - last).toBeCloseTo(100, -1)
  })

  it('report that their sound was interrupted; later marks are reported as heard', async () => {
    using page = open()
    const { speaker, playback, heard } = page
    playback.play(speech(300))
    playback.mark('heard')
    playback.play(speech(3_000))
    playback.mark('not heard')
    await speaker.pass(700)
    playback.interrupt()
    await speaker.pass(10)
    expect(heard).toMatchObject([
      { data: 'heard', skipped: false },
      { data: 'not heard', skipped: true },
    ])
    expect(playback.positionMs()).toBe(3_300)
    playback.play(speech(200))
    playback.mark('after')
    await speaker.pass(200)
    expect(heard).toHaveLength(2)
    await speaker.pass(400)
    expect(heard.at(-1)).toMatchObject({ data: 'after', skipped: false })
  })

  it('are skipped when the loudspeaker is released, and positions continue afterwards', async () => {
    using page = open()
    const { speaker, playback, heard } = page
    playback.play(speech(500))
    playback.mark('lost')
    await speaker.pass(50)
    playback.close()
    await speaker.pass(10)
    expect(heard).toMatchObject([{ data: 'lost', skipped: true }])
    playback.play(speech(100))
    playback.mark('again')
    await speaker.pass(500)
    expect(heard.at(-1)).toMatchObject({ data: 'again', skipped: false })
    expect(playback.positionMs()).toBe(600)
  })

  it('wait while nothing can be heard', async () => {
    using page = open({ allowed: false })
    const { speaker, playback, heard } = page
    playback.play(speech(200))
    playback.mark('word')
    await speaker.pass(2_000)
    expect(heard).toEqual([])
    speaker.speakers.allowed = true
    playback.unlock()
    await speaker.pass(600)
    expect(heard).toMatchObject([{ data: 'word', skipped: false }])
  })
})
