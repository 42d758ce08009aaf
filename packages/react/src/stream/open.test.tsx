import { act, render } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { arrivals, OPEN, openStream } from './joinStream.test.kit.js'
import { streamsOf } from './streamsOf.js'
import { useStream } from './useStream.js'
import { pageOf } from '../client/pageOf.test.kit.js'

let said: MockInstance<typeof console.error>
beforeEach(() => {
  said = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

const MINUTE = 60_000

it('an effect that opens a failed stream again gets one attempt in a second, and the console says why', async () => {
  const voice = createVirtualVoice()
  voice.service.refuse(402, { times: 10_000, by: 'close' })
  function Page() {
    const { status, open } = useStream('stt')
    useEffect(() => {
      if (status === 'failed') open()
    }, [status, open])
    return null
  }
  render(<Page />, {
    wrapper: pageOf(voice.client),
  })
  // The first `open` is at once.
  await act(() => voice.advance(100))
  expect(voice.service.attempts).toHaveLength(2)
  // In short steps: React 18 runs the effects at the end of each.
  for (let step = 0; step < 600; step += 1) await act(() => voice.advance(100))
  expect(voice.service.attempts.length).toBeGreaterThan(50)
  expect(voice.service.attempts.length).toBeLessThan(65)
  expect(said.mock.calls).toEqual([[expect.stringMatching(/^Failed to open the stream at once: /)]])
})

it('a press on a stream that has failed opens it at once', async () => {
  const { voice, stream } = openStream()
  voice.service.refuse(402, { times: 3, by: 'close' })
  for (let press = 1; press <= 3; press += 1) {
    await voice.advance(1_500)
    expect(stream.snapshot().status).toBe('failed')
    stream.open()
    await voice.advance(100)
    expect(voice.service.attempts).toHaveLength(press + 1)
  }
  expect(stream.snapshot().status).toBe('open')
  expect(said).not.toHaveBeenCalled()
})

it('a stream that was opened by a press too ends with the last component that needs it', async () => {
  const { voice, stream } = openStream()
  stream.join({ enabled: false, settings: () => ({}) })
  await voice.advance(100)
  // "Try now" in an outage.
  voice.service.connections[0]?.close(1011)
  await voice.advance(1)
  stream.open()
  await voice.advance(100)
  expect(stream.snapshot()).toEqual(OPEN)
  stream.leave()
  await voice.advance(100)
  expect(stream.snapshot().status).toBe('idle')
})

it('a stream that was opened by a press alone stays open while its component is there', async () => {
  const voice = createVirtualVoice()
  const stream = streamsOf(clientOf(voice.client)).of('stt', 'default')
  const [leave] = [1, 2].map(() => stream.join({ enabled: false, settings: () => ({}) }))
  stream.open()
  await voice.advance(100)
  leave?.()
  await voice.advance(60_000)
  expect(stream.snapshot()).toEqual(OPEN)
})

it('`open` ends a backoff at once, and what waits in the queue is sent', async () => {
  const { voice, stream } = openStream({ reconnect: { minDelayMs: 20_000 }, queue: { maxAgeMs: MINUTE } })
  await voice.advance(1_000)
  voice.service.connections[0]?.close(1011)
  stream.send('kept')
  await voice.advance(1_000)
  const { status, retryAt } = stream.snapshot()
  expect(status).toBe('reconnecting')
  // Half of 20 s after the loss.
  expect(retryAt?.getTime()).toBe(Date.UTC(2026, 0, 1) + voice.now() - 1_000 + 9_000)
  stream.open()
  expect(stream.snapshot().retryAt).toBeNull()
  await voice.advance(100)
  expect(stream.snapshot()).toEqual(OPEN)
  expect(arrivals(voice)).toEqual(['kept'])
})

it('while the token request waits, `retryAt` is its time, and `open` ends this wait too', async () => {
  const { voice, stream } = openStream()
  voice.service.failToken('CACHE_UNAVAILABLE', { times: 8 })
  await voice.advance(40_000)
  const source = sourceOf(voice.client, 'stt')
  const { retryAt } = source.state()
  expect(retryAt?.getTime()).toBeGreaterThan(Date.UTC(2026, 0, 1) + voice.now() - 1_000)
  await vi.waitFor(async () => {
    await voice.advance(500)
    expect(stream.snapshot()).toMatchObject({ status: 'reconnecting', retryAt: source.state().retryAt })
  })
  const asked = voice.service.requests.length
  stream.open()
  await voice.advance(50)
  expect(voice.service.requests.length).toBe(asked + 1)
})
