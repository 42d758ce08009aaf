import { expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { tokenSource } from './tokensOf.js'

it('mints for each tab alone where the browser has no locks', async () => {
  expect('locks' in navigator).toBe(false)
  await using setup = await setupVoice({ client: { shareAcrossTabs: true } })
  setup.voice.setUser('ada')
  const live = await tokenSource(setup.voice, 'stt').get()
  expect(live.generation).toBe(1)
  setup.voice.reset()
  expect((await tokenSource(setup.voice, 'stt').get()).token.value).not.toBe(live.token.value)
  expect(setup.asked).toHaveLength(2)
})
