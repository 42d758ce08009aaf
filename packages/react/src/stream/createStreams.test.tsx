import { act, renderHook } from '@testing-library/react'
import { StrictMode } from 'react'
import { expect, it } from 'vitest'
import { createVoiceClientWith } from '../createVoiceClient.js'
import { createScriptedService } from '../testing/createScriptedService.js'
import { createVirtualPlatform } from '../testing/createVirtualPlatform.js'
import { VoiceProvider } from '../VoiceProvider.js'
import { createStream } from './createStream.js'
import { createStreams } from './createStreams.js'
import { useStream, type UseStreamOptions } from './useStream.js'

type Message = string | ArrayBuffer

/** A page whose chunk of stream code comes when the test says so. */
function page(options: UseStreamOptions<Message, Message> = {}) {
  const platform = createVirtualPlatform()
  const service = createScriptedService({ platform, now: () => platform.now() })
  const loads: { resolve: () => void; reject: (error: Error) => void }[] = []
  const load = () =>
    new Promise<{ createStream: typeof createStream }>((resolve, reject) => {
      loads.push({ resolve: () => resolve({ createStream }), reject })
    })
  const voice = createVoiceClientWith(
    {
      url: '/api/voice',
      fetch: service.fetch,
      openSocket: service.openSocket,
      platform,
    },
    new Map([[createStreams, (client) => createStreams(client, load)]]),
  )
  const statuses: string[] = []
  const { result, unmount } = renderHook(
    () => {
      const stream = useStream('stt', options)
      if (statuses.at(-1) !== stream.status) statuses.push(stream.status)
      return stream
    },
    {
      wrapper: ({ children }) => (
        <StrictMode>
          <VoiceProvider client={voice}>{children}</VoiceProvider>
        </StrictMode>
      ),
    },
  )
  return {
    voice,
    service,
    platform,
    statuses,
    unmount,
    stream: () => result.current,
    advance: (ms: number) => act(() => platform.advance(ms)),
    loads,
    arrive: () =>
      act(async () => {
        loads.at(-1)?.resolve()
        await platform.advance(0)
      }),
  }
}

it('requests the token while the code of streams loads, and opens the stream when both are here', async () => {
  const { service, statuses, loads, arrive, advance, stream } = page()
  await advance(1_000)
  expect([loads.length, service.tokensGranted, service.connections.length]).toEqual([1, 1, 0])
  expect(stream().status).toBe('connecting')
  await arrive()
  await advance(1_000)
  expect(statuses).toEqual(['idle', 'connecting', 'open'])
  expect([service.tokensGranted, service.connections.length]).toEqual([1, 1])
})

it('keeps what is sent and asked for before, in its order', async () => {
  const received: unknown[] = []
  const { service, arrive, advance, stream } = page({
    enabled: false,
    onMessage: (data) => received.push(data),
  })
  expect(['one', 'two'].map((message) => stream().send(message))).toEqual(['queued', 'queued'])
  expect(stream().stats()).toMatchObject({ queued: 2, sent: 0 })
  expect(stream().status).toBe('idle')
  act(() => stream().open())
  expect(stream().status).toBe('connecting')
  await arrive()
  await advance(1_000)
  expect(service.connections[0]?.received).toEqual(['one', 'two'])
  service.connections[0]?.send('hello')
  await advance(10)
  expect(received).toEqual(['hello'])
  act(() => stream().close())
  expect(stream().status).toBe('closed')
  // A closed stream asks for no token.
  await advance(24 * 3_600_000)
  expect(service.tokensGranted).toBe(1)
})

it('keeps no more than the queue does, and nothing that is too old, and counts what it drops', async () => {
  const { service, arrive, advance, stream } = page()
  const ofKib = (kib: number) => new ArrayBuffer(kib * 1_024)
  stream().send('too old')
  await advance(5_000)
  for (const kib of [600, 400, 100]) stream().send(ofKib(kib))
  expect(stream().stats()).toMatchObject({ queued: 2, dropped: 2 })
  stream().send('of now')
  await advance(1_500)
  await arrive()
  await advance(1_000)
  const received = service.connections[0]?.received.map((data) => (data as ArrayBuffer).byteLength ?? data)
  expect(received).toEqual([400 * 1_024, 100 * 1_024, 'of now'])
  expect(stream().stats()).toMatchObject({ sent: 3, queued: 0, dropped: 2 })
})

it('drops what has become too old before it could be sent', async () => {
  const { service, arrive, advance, stream } = page()
  stream().send('too old')
  await advance(5_000)
  stream().send('of now')
  await advance(1_500)
  await arrive()
  await advance(1_000)
  expect(service.connections[0]?.received).toEqual(['of now'])
  expect(stream().stats()).toMatchObject({ sent: 1, dropped: 1 })
})

it('asks for no token for a stream that was closed before', async () => {
  const { service, arrive, advance, stream } = page({ enabled: false })
  act(() => stream().open())
  expect(stream().status).toBe('connecting')
  act(() => stream().close())
  expect(stream().status).toBe('closed')
  await advance(24 * 3_600_000)
  expect(service.tokensGranted).toBeLessThanOrEqual(1)
  await arrive()
  await advance(60_000)
  expect([stream().status, service.connections.length]).toEqual(['closed', 0])
})

it('opens nothing for a component that has left before', async () => {
  const { service, arrive, advance, unmount, platform } = page()
  unmount()
  await arrive()
  await advance(60_000)
  expect(service.connections).toEqual([])
  expect(platform.timers).toBe(0)
})

it('drops what a user has said who leaves before', async () => {
  const { voice, service, arrive, advance, stream } = page()
  stream().send('of the user before')
  act(() => voice.reset())
  stream().send('of the next user')
  await arrive()
  await advance(1_000)
  expect(service.connections[0]?.received).toEqual(['of the next user'])
})

it('loads the code again if it could not be loaded', async () => {
  const { statuses, loads, arrive, advance, stream } = page()
  await act(async () => loads[0]?.reject(new TypeError('Failed to fetch dynamically imported module')))
  expect(stream()).toMatchObject({
    status: 'reconnecting',
    failureReason: { code: 'NETWORK_ERROR', retryable: true },
  })
  await advance(1_000)
  expect(loads).toHaveLength(2)
  await arrive()
  await advance(1_000)
  expect(statuses).toEqual(['idle', 'connecting', 'reconnecting', 'connecting', 'open'])
})
