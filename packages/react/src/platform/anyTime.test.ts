import { expect, it } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { openStream, type JoinedStream } from '../stream/joinStream.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import type { VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { sleepAware } from './sleepAware.js'

const DAY = 86_400_000

/* `createVirtualPlatform` fires a timer of more than 2^31 - 1 ms at once, as browsers do. */

it.each([0, 1, 20 * DAY])('a timer of %d ms fires once, and then', async (delayMs) => {
  const platform = createVirtualPlatform()
  const startedAt = platform.now()
  const fired: number[] = []
  sleepAware(platform).setTimeout(() => fired.push(platform.now() - startedAt), delayMs)
  await platform.advance(100 * DAY)
  expect(fired).toEqual([delayMs])
})

it.each([30 * DAY, Infinity])('a timer of %d ms never fires, and none is set', async (delayMs) => {
  const platform = createVirtualPlatform()
  const timers = sleepAware(platform)
  timers.clearTimeout(timers.setTimeout(() => expect.unreachable(), delayMs))
  expect(platform.timers).toBe(0)
})

const openFor = async (voice: VirtualVoice, stream: JoinedStream): Promise<unknown> => {
  await voice.advance(60_000)
  return [stream.snapshot().status, voice.service.attempts.length]
}

it.each([
  ['reconnect.silenceMs', (ms: number) => ({ reconnect: { silenceMs: ms } })],
  ['connectTimeoutMs', (ms: number) => ({ connectTimeoutMs: ms })],
  ['rollover.silenceMs', (ms: number) => ({ rollover: { silenceMs: ms } })],
  ['queue.maxAgeMs', (ms: number) => ({ queue: { maxAgeMs: ms } })],
  ['reconnect.maxDelayMs', (ms: number) => ({ reconnect: { maxDelayMs: ms } })],
])('with no limit, or one of months, as %s, a stream keeps its one connection', async (_name, settings) => {
  for (const ms of [Infinity, 1e10]) {
    const { voice, stream } = openStream(settings(ms))
    expect(await openFor(voice, stream)).toEqual(['open', 1])
  }
})

it('with a rollover that waits for a silence of any length, no timer fires in a loop', async () => {
  for (const silenceMs of [Infinity, 1e10]) {
    const { voice, stream } = openStream({ rollover: { silenceMs } }, { ttlMs: 600_000 })
    stream.send('1')
    await voice.advance(605_000)
    // The switch came at `deadlineMs` after the second connection was ready.
    expect(voice.events.filter(({ type }) => type === 'stream.rolled_over')).toHaveLength(1)
    expect(stream.snapshot().status).toBe('open')
  }
})

it.each([Infinity, 1e10])('with a timeoutMs of %d a slow request is not aborted', async (timeoutMs) => {
  const platform = createVirtualPlatform()
  const voice = createVoiceClient({
    url: '/api/voice',
    platform,
    timeoutMs,
    fetch: async () => {
      await new Promise<void>((resolve) => platform.setTimeout(resolve, DAY))
      return new Response('{"error_code":"FORBIDDEN"}', { status: 403 })
    },
  })
  const asked = sourceOf(voice, 'stt')
    .get()
    .catch((error: unknown) => error)
  const [answer] = await Promise.all([asked, platform.advance(2 * DAY)])
  expect(answer).toMatchObject({ code: 'FORBIDDEN' })
})

it('`finish` with no limit waits for the last words', async () => {
  const { voice, stream } = openStream({ setup: { isFinal: (data) => data === 'final' } })
  await voice.advance(100)
  let isOver = false
  void stream.finish(Infinity).then(() => (isOver = true))
  voice.service.connections[0]?.send('not yet')
  await voice.advance(60 * 60_000)
  expect(isOver).toBe(false)
})
