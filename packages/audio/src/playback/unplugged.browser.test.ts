import { expect, it, vi } from 'vitest'
import { commands } from 'vitest/browser'
import { listen, loudest, tone } from './listen.browser.test.kit.js'

it('continues to play when its loudspeaker is unplugged, and when it is plugged in again', async () => {
  const { playback, last } = await listen()
  playback.play(tone(440, 0.5, 1))
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.4))
  await commands.unplug('speaker')
  try {
    playback.play(tone(440, 0.5, 1))
    await vi.waitFor(() => expect(playback.status).toBe('idle'))
  } finally {
    await commands.plug('speaker')
  }
  playback.play(tone(440, 0.5, 1))
  await vi.waitFor(() => expect(loudest(last(0.02))).toBeGreaterThan(0.4))
  await vi.waitFor(() => expect(playback.status).toBe('idle'))
  expect(playback.error).toBe(null)
})
