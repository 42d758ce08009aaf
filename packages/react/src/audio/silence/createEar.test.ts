import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientOf } from '../../client/createVoiceClient.js'
import { createVirtualVoice } from '../../virtual/createVirtualVoice.test.kit.js'
import { createEar, type HeardSession } from './createEar.js'

const FRAME_MS = 20
/** Of samples up to 32,768: what is left of an echo, and a user who speaks. */
const QUIET = 2_000
const LOUD = 4_000

afterEach(() => {
  vi.restoreAllMocks()
})

/** The ear of a session whose page can play sound. It takes each frame with a level for speech. */
function openEar(more: Partial<HeardSession> = {}) {
  const voice = createVirtualVoice()
  const page = { playing: 0, status: 'capturing', isBroken: false, changes: 0 }
  const detect = (frame: Int16Array): boolean => {
    if (page.isBroken) throw new Error('no memory')
    return frame[0] !== 0
  }
  const latest = (): HeardSession => ({
    client: clientOf(voice.client),
    product: 'stt',
    key: 'default',
    microphone: { status: page.status },
    playback: { level: () => page.playing },
    sampleRate: 16_000,
    microphoneOptions: undefined,
    silence: { closeAfterMs: 1_000, preRollMs: 100, detect },
    soundOf: () => undefined,
    ...more,
  })
  const ear = createEar(latest, () => (page.changes += 1))
  /** Hears frames of a level. Returns the levels of those that are to be sent. */
  async function hear(ms: number, level = 0): Promise<number[]> {
    const sent: number[] = []
    for (let heardMs = 0; heardMs < ms; heardMs += FRAME_MS) {
      await voice.advance(FRAME_MS)
      for (const frame of ear.push(new Int16Array(320).fill(level).buffer))
        sent.push(new Int16Array(frame)[0] ?? NaN)
    }
    return sent
  }
  const reports = () => voice.events.filter(({ type }) => type === 'silence.unavailable')
  return { voice, page, ear, hear, reports }
}

it('is silent after the time of the option, and gives out the sound from before the first word', async () => {
  const { ear, hear } = openEar()
  expect([ear.closeAfterMs, ear.hearsSpeech(), ear.isSilent()]).toEqual([1_000, true, false])
  expect(await hear(1_000)).toHaveLength(50)
  expect(ear.isSilent()).toBe(false)
  await hear(2_000)
  expect([ear.hearsSpeech(), ear.isSilent()]).toEqual([false, true])
  const sent = await hear(100, LOUD)
  expect([ear.hearsSpeech(), ear.isSilent()]).toEqual([true, false])
  expect(sent.filter((level) => level === 0).length).toBeGreaterThanOrEqual(5)
  expect(sent.filter((level) => level === LOUD)).toHaveLength(5)
})

it('opens without speech, and asks for more of it after a false alarm', async () => {
  const { ear, hear } = openEar()
  await hear(2_000)
  expect(ear.open().length).toBeGreaterThanOrEqual(5)
  expect(ear.isSilent()).toBe(false)
  await hear(2_000)
  ear.confirm(false)
  await hear(80, LOUD)
  expect(ear.hearsSpeech()).toBe(false)
  await hear(2_000)
  ear.confirm(true)
  await hear(60, LOUD)
  expect(ear.hearsSpeech()).toBe(true)
})

describe("the page's own sound", () => {
  const source = {} as MediaStream

  it.each<readonly [boolean, number, HeardSession['microphoneOptions']]>([
    [false, QUIET, undefined],
    [true, LOUD, undefined],
    [false, QUIET, {}],
    [false, QUIET, { processing: {} }],
    [false, QUIET, { processing: { echoCancellation: true } }],
    [true, QUIET, { processing: { echoCancellation: false } }],
    // The browser cancels no echo in a stream that the application gives.
    [true, QUIET, { source }],
    [true, QUIET, { source, processing: { echoCancellation: true } }],
  ])('is speech: %s, at the level %i with %j', async (isSpeech, level, microphoneOptions) => {
    const { ear, hear, page } = openEar({ microphoneOptions })
    await hear(2_000)
    page.playing = 0.5
    await hear(200, level)
    expect(ear.hearsSpeech()).toBe(isSpeech)
  })

  it('is an echo for 300 ms after its end', async () => {
    const { ear, hear, page } = openEar()
    await hear(2_000)
    page.playing = 0.5
    await hear(FRAME_MS, QUIET)
    page.playing = 0
    await hear(300, QUIET)
    // Three frames are needed for speech.
    await hear(40, QUIET)
    expect(ear.hearsSpeech()).toBe(false)
    await hear(FRAME_MS, QUIET)
    expect(ear.hearsSpeech()).toBe(true)
  })
})

describe('frames that come late', () => {
  it.each<readonly [string, number, boolean, string, 'late frames' | null]>([
    ['of a hidden page', 1_020, false, 'capturing', 'late frames'],
    ['of a hidden page, but in time', 1_000, false, 'capturing', null],
    ['of a page that is seen', 5_000, true, 'capturing', null],
    ['of a device that comes back', 5_000, false, 'recovering', null],
  ])('%s, after %i ms', async (_what, ms, isVisible, status, unavailable) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { ear, hear, page, voice, reports } = openEar()
    await hear(2_000)
    page.status = status
    voice.setVisible(isVisible)
    await voice.advance(ms - FRAME_MS)
    await hear(FRAME_MS)
    expect([ear.unavailable(), ear.isSilent()]).toEqual([unavailable, unavailable === null])
    expect(reports().map((event) => 'reason' in event && event.reason)).toEqual(
      unavailable === null ? [] : [unavailable],
    )
    expect(page.changes).toBe(unavailable === null ? 0 : 1)
  })

  it('are said once, and no reason any more when the page is seen again', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { ear, hear, page, voice, reports } = openEar()
    for (const changes of [1, 3]) {
      voice.setVisible(false)
      await voice.advance(2_000)
      await hear(40)
      expect([ear.unavailable(), page.changes]).toEqual(['late frames', changes])
      voice.setVisible(true)
      expect([ear.unavailable(), page.changes]).toEqual([null, changes + 1])
      voice.setVisible(true)
      expect(page.changes).toBe(changes + 1)
    }
    expect(reports()).toEqual([
      {
        type: 'silence.unavailable',
        reason: 'late frames',
        product: 'stt',
        key: 'default',
        at: expect.any(Number) as number,
      },
    ])
    expect(said.mock.calls).toEqual([
      [
        expect.stringMatching(
          /minutes count: the page is hidden, and the frames of its microphone come late/,
        ),
      ],
    ])
    voice.setVisible(false)
    await voice.advance(2_000)
    await hear(FRAME_MS)
    const { changes } = page
    ear.stop()
    voice.setVisible(true)
    expect(page.changes).toBe(changes)
  })
})

it('a device that is lost hears nothing, but one that only sends nothing may still hear', async () => {
  const { ear, page, voice } = openEar()
  await voice.advance(5_000)
  expect(ear.isSilent()).toBe(false)
  page.status = 'recovering'
  expect(ear.isSilent()).toBe(true)
  ear.push(new Int16Array(320).fill(LOUD).buffer)
  await voice.advance(999)
  expect(ear.isSilent()).toBe(false)
  await voice.advance(1)
  expect(ear.isSilent()).toBe(true)
})

it('says once that the detector has failed, and the stream stays open', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { ear, hear, page, reports } = openEar()
  await hear(2_000)
  page.isBroken = true
  await hear(100)
  page.status = 'recovering'
  expect([ear.unavailable(), ear.hearsSpeech(), ear.isSilent()]).toEqual(['detector', true, false])
  expect(page.changes).toBe(1)
  expect(reports()).toMatchObject([{ reason: 'detector' }])
  expect(said.mock.calls).toEqual([[expect.stringMatching(/'wasm-unsafe-eval' .+ Error: no memory$/)]])
})
