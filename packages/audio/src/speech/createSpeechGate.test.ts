import { afterEach, expect, it, vi } from 'vitest'
import { createSpeechGate, type SpeechGate } from './createSpeechGate.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

/** A frame of 20 ms whose samples say its number. A negative number is silence. */
const frameOf = (number: number): ArrayBuffer => new Int16Array(320).fill(number).buffer
const numberOf = (frame: ArrayBuffer): number | undefined => new Int16Array(frame)[0]
const detect = (frame: Int16Array): boolean => (frame[0] ?? 0) > 0

/** Pushes frames. Returns the numbers that came out. */
const push = (gate: SpeechGate, ...numbers: readonly number[]): (number | undefined)[] =>
  numbers.flatMap((number) => gate.push(frameOf(number)).map(numberOf))

const silence = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => -from - index)

/** A voice: a buzz of 120 Hz with four formants. */
function voice(frame: number, sampleRate = 16_000): ArrayBuffer {
  const length = sampleRate / 50
  return Int16Array.from({ length }, (_, index) => {
    const seconds = (frame * length + index) / sampleRate
    const tones = [120, 240, 480, 720, 1_080, 1_200, 2_400]
    return tones.reduce((sum, hertz) => sum + 3_000 * Math.sin(2 * Math.PI * hertz * seconds), 0)
  }).buffer
}

it('lets speech pass at once, and holds silence back after a time of it', () => {
  const gate = createSpeechGate({ detect, closeAfterMs: 100, preRollMs: 40 })
  expect(gate.state).toBe('speech')
  expect(push(gate, 1, 2, 3, -1, -2, -3, -4, -5)).toEqual([1, 2, 3, -1, -2, -3, -4, -5])
  expect(gate.state).toBe('speech')
  // Two of the last five frames were voiced until here, so the silence began three frames ago.
  expect(push(gate, ...silence(6, 60))).toEqual([-6, -7])
  expect(gate.state).toBe('silence')
})

it('begins speech with the sound from before it, and loses and repeats no frame', () => {
  const gate = createSpeechGate({ detect, closeAfterMs: 200, preRollMs: 60 })
  const pushed = [1, 2, 3, ...silence(1, 30), 4, 5, 6, 7, ...silence(30, 90), 8, -90, 9, 10, 11]
  const out = push(gate, ...pushed)
  // In order, and without gaps: only silence is left out.
  expect(out.filter((number) => (number ?? 0) > 0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  expect(out).toEqual(pushed.filter((number) => out.includes(number)))
  // 60 ms before the five frames of the decision.
  expect(out.slice(out.indexOf(8) - 4, out.indexOf(8))).toEqual([-86, -87, -88, -89])
})

it('asks for more voice after each false alarm, and for the usual after speech', () => {
  const gate = createSpeechGate({ detect, closeAfterMs: 100 })
  /** How many voiced frames in a row open the gate. */
  const needed = (): number => {
    push(gate, ...silence(0, 60))
    expect(gate.state).toBe('silence')
    let count = 0
    for (; gate.state === 'silence'; count += 1) push(gate, 1)
    return count
  }
  expect(needed()).toBe(3)
  gate.confirm(false)
  expect(needed()).toBe(5)
  gate.confirm(false)
  expect(needed()).toBe(8)
  gate.confirm(false)
  expect(needed()).toBe(8)
  gate.confirm(true)
  expect(needed()).toBe(3)
})

it('opens without speech for a time, with the sound that it kept', () => {
  const gate = createSpeechGate({ detect, closeAfterMs: 100, preRollMs: 20 })
  push(gate, ...silence(0, 30))
  expect(gate.state).toBe('silence')
  expect(gate.open().map(numberOf).slice(-3)).toEqual([-27, -28, -29])
  expect(gate.open()).toEqual([])
  expect(gate.state).toBe('speech')
  expect(push(gate, ...silence(30, 50))).toEqual([-30, -31, -32, -33, -34])
  expect(gate.state).toBe('silence')
})

it('takes no echo for speech', () => {
  let isEcho = true
  const gate = createSpeechGate({ detect, closeAfterMs: 100, isEcho: () => isEcho })
  push(gate, ...silence(0, 30))
  expect(push(gate, 1, 2, 3, 4, 5)).toEqual([])
  isEcho = false
  expect(push(gate, 6, 7, 8).filter((number) => (number ?? 0) > 0)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

it.each([16_000, 8_000, 24_000, 44_100, 48_000])(
  'finds a voice with the detector of WebRTC, at %i samples a second',
  async (sampleRate) => {
    const onUnavailable = vi.fn()
    const gate = createSpeechGate({ sampleRate, closeAfterMs: 500, onUnavailable })
    const quiet = new Int16Array(sampleRate / 50).buffer
    // All sound passes until the detector is there.
    await vi.waitFor(() => {
      for (let frame = 0; frame < 50; frame += 1) gate.push(quiet)
      expect(gate.state).toBe('silence')
    })
    let frames = 0
    for (; gate.state === 'silence' && frames < 50; frames += 1) gate.push(voice(frames, sampleRate))
    expect(frames).toBeLessThan(10)
    expect(onUnavailable).not.toHaveBeenCalled()
  },
)

it('stays open, and says so once, if WebAssembly is forbidden', async () => {
  const cause = new EvalError('Refused to compile WebAssembly')
  vi.stubGlobal('WebAssembly', { instantiate: () => Promise.reject(cause) })
  const onUnavailable = vi.fn()
  const gate = createSpeechGate({ closeAfterMs: 100, onUnavailable })
  await vi.waitFor(() => expect(onUnavailable).toHaveBeenCalledWith(cause))
  expect(push(gate, ...silence(0, 100))).toHaveLength(100)
  expect(gate.state).toBe('speech')
  expect(onUnavailable).toHaveBeenCalledOnce()
})

it('opens for good if a detector of the application throws', () => {
  const cause = new Error('broken')
  let isBroken = false
  const onUnavailable = vi.fn()
  const breaking = (frame: Int16Array): boolean => {
    if (isBroken) throw cause
    return detect(frame)
  }
  const gate = createSpeechGate({ detect: breaking, closeAfterMs: 100, preRollMs: 20, onUnavailable })
  push(gate, ...silence(0, 30))
  isBroken = true
  expect(push(gate, -30, -31).slice(-2)).toEqual([-30, -31])
  expect(push(gate, ...silence(32, 60))).toHaveLength(28)
  expect(onUnavailable).toHaveBeenCalledExactlyOnceWith(cause)
})

it.each([
  { closeAfterMs: 0 },
  { closeAfterMs: NaN },
  { preRollMs: -1 },
  { preRollMs: 60_000 },
  { sampleRate: 0 },
])('refuses %j', (options) => {
  const create = () => createSpeechGate({ detect, ...options })
  expect(create).toThrow(RangeError)
  expect(create).toThrow(`Failed to set ${Object.keys(options)[0]}`)
})

it('S62 keeps the sound of the pre-roll alone, however long the silence is', () => {
  let isVoice = false
  const gate = createSpeechGate({ detect: () => isVoice, closeAfterMs: 100, preRollMs: 40 })
  const push = (): number => gate.push(new ArrayBuffer(640)).length
  for (let frame = 0; frame < 500; frame += 1) push()
  isVoice = true
  // Two frames of the pre-roll, those of the decision, and the one that opens the gate.
  expect([push(), push(), push(), push()]).toEqual([0, 0, 8, 1])
})
