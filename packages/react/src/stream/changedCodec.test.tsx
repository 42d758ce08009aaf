import { act, cleanup, renderHook } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { languageOf, to } from '../codecs/languages.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { useStream } from './useStream.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** A component with a stream that makes its codec in each render. `isReady`: the server says so at once. */
async function openPage(isReady = true) {
  const voice = createVirtualVoice()
  const { result, rerender } = renderHook(({ language }) => useStream('vt', { codec: to(language) }), {
    wrapper: pageOf(voice.client),
    initialProps: { language: 'es-ES' },
  })
  const answered = new Set<unknown>()
  async function pass(ms: number): Promise<void> {
    await act(() => voice.advance(ms))
    for (const connection of isReady ? voice.service.connections : []) {
      if (!answered.has(connection)) act(() => connection.send('{"type":"ready"}'))
      answered.add(connection)
    }
  }
  await pass(100)
  return {
    voice,
    pass,
    stream: () => result.current,
    show: (language: string) => rerender({ language }),
    /** What each connection got: its language, and the number of frames. */
    got: () =>
      voice.service.connections.map(({ received: [first, ...frames] }) => [languageOf(first), frames.length]),
  }
}

it('another language replaces the connection, and an equal codec does not', async () => {
  const { stream, show, got, pass } = await openPage()
  stream().send(new ArrayBuffer(640))
  for (let render = 0; render < 5; render += 1) show('es-ES')
  await pass(100)
  expect(got()).toEqual([['es-ES', 1]])
  show('fr-FR')
  expect(stream()).toMatchObject({ status: 'reconnecting', failureReason: { lostBy: 'rollover' } })
  stream().send(new ArrayBuffer(640))
  await pass(100)
  expect(stream().status).toBe('open')
  stream().send(new ArrayBuffer(640))
  expect(got()).toEqual([
    ['es-ES', 1],
    ['fr-FR', 2],
  ])
  show('es-ES')
  await pass(100)
  expect(got()).toHaveLength(3)
})

it('another language before the server is ready replaces the connection too', async () => {
  const { stream, show, got, pass } = await openPage(false)
  expect(stream().status).toBe('connecting')
  stream().send(new ArrayBuffer(640))
  show('fr-FR')
  await pass(100)
  expect(got().map(([language]) => language)).toEqual(['es-ES', 'fr-FR'])
  expect(stream().stats()).toMatchObject({ queued: 1, dropped: 0 })
})

it('a component that is mounted in place of another one gets its own language', async () => {
  const voice = createVirtualVoice()
  const show = (language: string) =>
    renderHook(() => useStream('vt', { codec: to(language) }), { wrapper: pageOf(voice.client) })
  const { unmount } = show('es-ES')
  await act(() => voice.advance(100))
  unmount()
  show('fr-FR')
  await act(() => voice.advance(1_000))
  expect(voice.service.connections.map(({ received }) => languageOf(received[0]))).toEqual(['es-ES', 'fr-FR'])
})

it('a stream that is closing after its last text does not begin again', async () => {
  const { voice, stream, show, got, pass } = await openPage()
  // A text that may still grow is waited for.
  voice.service.connections[0]?.send('{"translate":{"text":"ho","final":false}}')
  void stream().finish()
  await pass(100)
  expect(stream().status).toBe('open')
  show('fr-FR')
  await pass(10_000)
  expect(got()).toEqual([['es-ES', 0]])
  expect(stream().status).toBe('closed')
  act(() => stream().open())
  await pass(100)
  expect(got().at(-1)).toEqual(['fr-FR', 0])
})

it('a stream that was closing goes on in the language of now', async () => {
  const { voice, stream, show, got, pass } = await openPage()
  voice.service.connections[0]?.send('{"translate":{"text":"ho","final":false}}')
  void stream().finish()
  await pass(100)
  show('fr-FR')
  act(() => stream().open())
  await pass(100)
  expect(stream().status).toBe('open')
  expect(got()).toEqual([
    ['es-ES', 0],
    ['fr-FR', 0],
  ])
})
