import { expect, it } from 'vitest'
import { createPlayback } from './createPlayback.js'
import { fakeLoudspeaker } from './fakeLoudspeaker.test.kit.js'
import type { PlaybackOptions } from './PlaybackOptions.js'

type Speaker = ReturnType<typeof fakeLoudspeaker>
type Context = Speaker['contexts'][number]

/** Each sample is louder than the one before, so that a gap or a repetition shows. */
const ramp = (fromMs: number, toMs: number): Int16Array<ArrayBuffer> =>
  Int16Array.from({ length: (toMs - fromMs) * 16 }, (_, i) => Math.round((fromMs + i / 16) * 10))

async function playing(speaker: Speaker, onHeard: PlaybackOptions['onHeard'] = () => {}) {
  const playback = createPlayback({ cushionMs: 100, onHeard: (data, how) => onHeard(data, how) })
  const statuses: string[] = []
  playback.subscribe(() => statuses.push(playback.status))
  playback.unlock()
  await speaker.pass(50)
  playback.play(ramp(0, 2_000))
  await speaker.pass(500)
  expect(statuses).toEqual(['playing'])
  statuses.length = 0
  return { playback, statuses, context: speaker.contexts[0]! }
}

/** The loudness of the ramp at this time. */
const at = (ms: number): number => (ms * 10) / 0x8000

it.each([
  ['is closed', (context: Context) => context.enter('closed')],
  ['reports an error', (context: Context) => void context.dispatchEvent(new Event('error'))],
  ['stands still and says that it runs', (context: Context) => void (context.isStalled = true)],
  ['has a worklet that throws', (context: Context) => context.crash(false)],
  ['has a worklet that ends without a word', (context: Context) => context.crash(true)],
])('plays what was not heard yet if its context %s', async (_what, breakIt) => {
  using speaker = fakeLoudspeaker()
  const marks: unknown[] = []
  const { playback, statuses, context } = await playing(speaker, (data, { skipped }) =>
    marks.push([data, skipped, Math.round(playback.positionMs())]),
  )
  playback.mark('2 s')
  const heardBefore = speaker.heard.length
  const loudestBefore = speaker.heard.reduce((most, one) => Math.max(most, one), 0)
  breakIt(context)
  const positions: number[] = []
  for (let ms = 0; ms < 4_000; ms += 20) {
    if (ms === 400) playback.play(ramp(2_000, 2_500))
    await speaker.pass(20)
    positions.push(playback.positionMs())
  }
  const after = speaker.heard.slice(heardBefore).filter((sample) => sample !== 0)
  // What was rendered but perhaps not heard is played again: the delay of the system and one report.
  const first = after[300]!
  expect(first).toBeLessThan(loudestBefore)
  expect(first).toBeGreaterThan(loudestBefore - at(120))
  expect(Math.max(...after.slice(-2_000))).toBeCloseTo(at(2_500), 1)
  expect(playback.positionMs()).toBe(2_500)
  expect(positions).toEqual(positions.toSorted((a, b) => a - b))
  expect(marks).toEqual([['2 s', false, expect.closeTo(2_000, -2)]])
  expect(playback.counters()).toMatchObject({ droppedMs: 0, underruns: 0, interrupts: 0 })
  expect(statuses.at(-1)).toBe('idle')
  expect(speaker.contexts.map(({ state }) => state)).toEqual(['closed', 'running'])
})

it('is blocked while its context is suspended, until it is unlocked', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  speaker.speakers.allowed = false
  context.enter('suspended')
  await speaker.pass(60_000)
  expect([playback.status, speaker.contexts.length]).toEqual(['blocked', 1])
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(100)
  expect([playback.status, speaker.contexts.length]).toEqual(['playing', 1])
})

it('is replaced after an interruption that leaves its context suspended', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  context.enter('interrupted')
  await speaker.pass(60_000)
  expect([playback.status, speaker.contexts.length]).toEqual(['blocked', 1])
  context.enter('suspended')
  await speaker.pass(100)
  expect([playback.status, speaker.contexts.length]).toEqual(['playing', 2])
  await speaker.pass(2_000)
  expect([playback.positionMs(), playback.counters().droppedMs]).toEqual([2_000, 0])
})

it('plays what came before with the next sound after an interruption, with one new context', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  speaker.speakers.allowed = false
  context.enter('interrupted')
  for (let i = 0; i < 10; i += 1) playback.play(ramp(0, 20))
  await speaker.pass(10)
  speaker.contexts[1]!.enter('interrupted')
  for (let i = 0; i < 10; i += 1) playback.play(ramp(0, 20))
  expect([playback.status, speaker.contexts.length]).toEqual(['blocked', 2])
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(2_500)
  expect([playback.status, playback.positionMs(), speaker.contexts.length]).toEqual(['idle', 2_400, 3])
  expect(playback.counters().droppedMs).toBe(0)
})

it('tries later and later while nothing can be heard, then fails; a tap tries at once', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, statuses, context } = await playing(speaker)
  speaker.speakers.dead = true
  context.isStalled = true
  await speaker.pass(15_000)
  expect(playback.status).toBe('blocked')
  const { length } = speaker.contexts
  playback.unlock()
  expect(speaker.contexts).toHaveLength(length + 1)
  await speaker.pass(60_000)
  expect(statuses.at(-1)).toBe('failed')
  expect(playback.error).toMatchObject({ code: 'NO_SOUND' })
  expect(speaker.contexts.length).toBeLessThan(9)
  expect(speaker.contexts.every(({ state }) => state === 'closed')).toBe(true)
  speaker.speakers.dead = false
  playback.unlock()
  playback.play(ramp(0, 500))
  await speaker.pass(1_000)
  expect(playback.status).toBe('idle')
  expect(playback.positionMs()).toBe(2_500)
})

it('is silent after an interrupt and after a close, also while it waits for a new context', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  speaker.speakers.dead = true
  context.isStalled = true
  await speaker.pass(10_000)
  playback.interrupt()
  expect([playback.status, playback.bufferedMs()]).toEqual(['idle', 0])
  playback.play(ramp(0, 500))
  playback.close()
  const { length } = speaker.contexts
  speaker.speakers.dead = false
  await speaker.pass(60_000)
  expect([playback.status, speaker.contexts.length]).toEqual(['idle', length])
})

it('stays paused and keeps its volume on a new context', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  playback.setPaused(true)
  await speaker.pass(5_000)
  expect(speaker.contexts).toHaveLength(1)
  context.enter('closed')
  const { length } = speaker.heard
  await speaker.pass(5_000)
  expect(speaker.heard.slice(length).some((sample) => sample !== 0)).toBe(false)
  playback.setPaused(false)
  await speaker.pass(2_000)
  expect(playback.positionMs()).toBe(2_000)
  expect(speaker.contexts).toHaveLength(2)
})

it('opens no context for a closed one before there is sound again', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  await speaker.pass(3_000)
  expect(playback.status).toBe('idle')
  context.enter('closed')
  await speaker.pass(5_000)
  expect(speaker.contexts).toHaveLength(1)
  playback.play(ramp(0, 500))
  await speaker.pass(1_000)
  expect([playback.positionMs(), speaker.contexts.length]).toEqual([2_500, 2])
})

it('tries again if the worklet does not load for a new context', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  speaker.speakers.loads = false
  context.enter('closed')
  await speaker.pass(1_000)
  expect(playback.status).toBe('blocked')
  speaker.speakers.loads = true
  await speaker.pass(5_000)
  expect([playback.status, playback.positionMs(), playback.error]).toEqual(['idle', 2_000, null])
})

it('takes no sound for heard after its worklet has ended without a word', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  const before = playback.positionMs()
  context.crash(true)
  await speaker.pass(900)
  expect(playback.positionMs() - before).toBeLessThan(320)
})

it('drops only live sound that came after the standstill, if the browser does not allow the new context', async () => {
  using speaker = fakeLoudspeaker()
  const { playback, context } = await playing(speaker)
  speaker.speakers.allowed = false
  context.enter('closed')
  const waited = playback.bufferedMs()
  expect(waited).toBeGreaterThan(1_500)
  for (let i = 0; i < 50; i += 1) {
    playback.play(ramp(0, 20))
    await speaker.pass(20)
  }
  expect(playback.status).toBe('blocked')
  speaker.speakers.allowed = true
  playback.unlock()
  await speaker.pass(10)
  expect(playback.counters().droppedMs).toBe(900)
  expect(playback.bufferedMs()).toBeGreaterThan(waited + 80)
  expect(playback.bufferedMs()).toBeLessThanOrEqual(waited + 100)
})
