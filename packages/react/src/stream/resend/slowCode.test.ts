import { expect, it, vi } from 'vitest'
import { openStream } from '../joinStream.test.kit.js'
import { speakInto, WITH_TIMES, wordsIn } from './speakingPage.test.kit.js'

/** The code of the option arrives when the test says so. */
const slow = vi.hoisted(() => {
  let arrive = (): void => {}
  return { code: new Promise<void>((resolve) => (arrive = resolve)), arrive: () => arrive() }
})
vi.mock('./createResend.js', async (load) => {
  await slow.code
  return load()
})

const SETTINGS = { ...WITH_TIMES, queue: { maxAgeMs: 1_000, maxBytes: 10_000 } }

it('finish waits at most 10 s for the code of resend', async () => {
  const { voice, stream } = openStream(SETTINGS)
  await speakInto({ voice, stream })(1_000)
  void stream.finish(3_000)
  await voice.advance(9_900)
  expect(stream.snapshot().status).toBe('open')
  await voice.advance(200)
  expect(stream.snapshot().status).toBe('closed')
})

it('keeps what is said while the code of resend loads, as on a slow network, after a finish too', async () => {
  const page = openStream(SETTINGS)
  const said = await speakInto(page)(60_000)
  void page.stream.finish(3_000)
  await page.voice.advance(9_000)
  slow.arrive()
  await vi.dynamicImportSettled()
  await vi.waitFor(async () => {
    await page.voice.advance(1_000)
    expect(page.stream.stats()).toMatchObject({ queued: 0, dropped: 0 })
  })
  expect(wordsIn(page.voice.service.connections[0]?.received ?? [])).toEqual(said)
})
