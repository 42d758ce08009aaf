import { act, cleanup } from '@testing-library/react'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { createTestVoice } from '../../testing/createTestVoice.js'
import { renderSilentSession, words } from './silentSession.test.kit.js'

const GUIDE = readFileSync(join(import.meta.dirname, '../../../../../docs/usage.md'), 'utf8')
const UTTERANCE_S = 4
const FRAMES = UTTERANCE_S * 50

/** A row of the guide: the pause in seconds, and the percent that are paid for each `closeAfterMs`. */
const ROWS = [...GUIDE.matchAll(/^\| (\d+) s \| (\d+) % \| (\d+) % \| (\d+) % \|$/gm)].map((row) =>
  row.slice(1).map(Number),
)
const CLOSE_AFTER_MS = [2_000, 5_000, 10_000] as const

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** The percent of a talk that the emulator bills, with utterances of `UTTERANCE_S` and such pauses. */
async function measure(closeAfterMs: number, pauseS: number): Promise<number> {
  vi.useFakeTimers()
  using voice = createTestVoice()
  const { unmount, start } = renderSilentSession(voice, {
    silence: { closeAfterMs, detect: (frame) => frame[0] !== 0 },
  })
  await start()
  const billedMs = () => Object.values(voice.emulator.billedMs()).reduce((sum, ms) => sum + ms, 0)
  async function talk(): Promise<void> {
    voice.microphone.speak(words(0, FRAMES))
    // In small steps, because a connection closes in a turn of the real page.
    for (let ms = 0; ms < (UTTERANCE_S + pauseS) * 1_000; ms += 100)
      await act(() => vi.advanceTimersByTimeAsync(100))
  }
  // The first one is heard on the connection of the start.
  await talk()
  const before = billedMs()
  await talk()
  const percent = ((billedMs() - before) / ((UTTERANCE_S + pauseS) * 1_000)) * 100
  unmount()
  return percent
}

it('the guide has a row for each length of a pause', () => {
  expect(ROWS.map(([pause]) => pause)).toEqual([2, 5, 10, 30, 60])
})

it.each(ROWS)('the guide says what is paid with pauses of %i s', async (pause = 0, ...percents) => {
  const measured: number[] = []
  for (const closeAfterMs of CLOSE_AFTER_MS) measured.push(await measure(closeAfterMs, pause))
  const farthest = Math.max(...measured.map((percent, at) => Math.abs(percent - (percents[at] ?? NaN))))
  // A busy page closes a connection some steps later.
  expect(farthest, `measured: ${measured.join(', ')}`).toBeLessThan(4)
})
