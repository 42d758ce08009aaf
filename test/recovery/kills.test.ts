import { expect, it } from 'vitest'
import { frameOf } from './frames.js'
import { ask, forget, readAll, record, recover, visitRecovery } from './visitRecovery.js'

it('a recording is sent after a restart, by a call alone, and is gone when its texts are final', async () => {
  await using site = await visitRecovery()
  const page = await site.open('ada', 'none')
  await record(page, async () => {
    await expect.poll(async () => (await ask(page, 'stored')).pieces).toBeGreaterThan(10)
    await site.stop('kill')
  })
  const next = await site.open('ada')
  await expect.poll(() => ask(next, 'recordings')).toHaveLength(1)
  expect(site.heard()).toHaveLength(1)
  expect(await ask(next, 'send')).toBeGreaterThan(0)
  const [, heard = []] = site.heard()
  // At least the eleven pieces of 100 ms that were stored. kills.slow.test.ts shows how little is missing.
  expect(heard).toEqual(heard.map((_, index) => index))
  expect(heard.at(-1)).toBeGreaterThanOrEqual(54)
  await expect.poll(() => ask(next, 'recordings')).toEqual([])
  expect(await ask(next, 'stored')).toEqual({ keys: 1, recordings: 0, pieces: 0 })
})

it('sound of a stream that the service has refused stays on the disk, for the next page', async () => {
  await using site = await visitRecovery()
  const page = await site.open('ada', 'none')
  const { last } = await record(page, async () => {
    await expect.poll(async () => (await ask(page, 'stored')).pieces).toBeGreaterThan(10)
    site.refuse()
    await expect.poll(() => ask(page, 'status')).toBe('failed')
  })
  await page.reload()
  const frames = await recover(site, 'ada')
  expect(frames.length).toBeGreaterThan(50)
  expect(frames.at(-1)).toBeLessThanOrEqual(last)
})

it('two tabs: what one of them records or sends, the other one does not offer', async () => {
  await using site = await visitRecovery()
  const [first, second] = [await site.open('ada', 'none'), await site.open('ada', 'none')]
  await record(first, async () => {
    await expect.poll(async () => (await ask(second, 'stored')).pieces).toBeGreaterThan(10)
  })
  await record(second, async () => {
    await expect.poll(async () => (await ask(second, 'stored')).recordings).toBe(2)
  })
  const third = await site.open('ada')
  expect(await ask(third, 'recordings')).toEqual([])
  void (await first.context().newCDPSession(first)).send('Page.crash').catch(() => {})
  // Only that of the tab that crashed.
  await expect.poll(() => ask(third, 'recordings')).toHaveLength(1)
  const sending = ask(third, 'send')
  const fourth = await site.open('ada')
  await sending
  expect(await ask(fourth, 'recordings')).toEqual([])
  expect((await ask(fourth, 'stored')).recordings).toBe(1)
})

it('S67 after a sign-out nothing is stored, and no plaintext sound is in the profile', async () => {
  await using site = await visitRecovery()
  const page = await site.open('ada')
  await ask(page, 'storePlain')
  const { last } = await record(page, async () => {
    await expect.poll(async () => (await ask(page, 'stored')).pieces).toBeGreaterThan(10)
  })
  await forget(page)
  await site.stop('close')
  const profile = await readAll(site.profile)
  /** True if the noise behind the number of a frame is there. */
  const isFound = (frame: number): boolean => profile.includes(Buffer.from(frameOf(frame)).subarray(8, 72))
  expect(isFound(-3)).toBe(true)
  expect(Array.from({ length: last }, (_, frame) => frame).filter(isFound)).toEqual([])
})
