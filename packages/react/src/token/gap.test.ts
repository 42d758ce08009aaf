import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { tokenSource } from './tokensOf.js'
import { sourceOf } from './sourceOf.test.kit.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'

let said: MockInstance<typeof console.error>
beforeEach(() => {
  said = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => void vi.restoreAllMocks())

const nothing = (): void => {}

function setup(code: 'FORBIDDEN' | 'CACHE_UNAVAILABLE') {
  const voice = createVirtualVoice()
  voice.service.failToken(code, { times: 10_000 })
  return { voice, source: sourceOf(voice.client, 'stt') }
}

type Setup = ReturnType<typeof setup>

const loops: [string, 'FORBIDDEN' | 'CACHE_UNAVAILABLE', (setup: Setup) => void][] = [
  [
    'renew() at each error of a state',
    'FORBIDDEN',
    ({ source }) => {
      source.retain()
      source.subscribe(() => source.state().status === 'error' && void source.renew().catch(nothing))
    },
  ],
  [
    'renew() in the event token.retrying',
    'CACHE_UNAVAILABLE',
    ({ voice, source }) => {
      voice.client.subscribe(({ type }) => type === 'token.retrying' && void source.renew().catch(nothing))
      source.retain()
    },
  ],
  [
    'get() after each rejection',
    'FORBIDDEN',
    ({ voice }) => {
      const again = (): void => void tokenSource(voice.client, 'stt').get().catch(again)
      again()
    },
  ],
]

it.each(loops)('%s sends one request in a second, and the console says why', async (_name, code, loop) => {
  const page = setup(code)
  loop(page)
  // The first call is at once.
  await page.voice.advance(50)
  expect(page.voice.service.requests).toHaveLength(2)
  await page.voice.advance(60_000)
  expect(page.voice.service.requests.length).toBeGreaterThan(50)
  expect(page.voice.service.requests.length).toBeLessThan(65)
  expect(said.mock.calls).toEqual([[expect.stringMatching(/^Failed to request a token at once: /)]])
})

it('a press a second after the last one is answered at once, and says nothing', async () => {
  const { voice, source } = setup('FORBIDDEN')
  for (let press = 1; press <= 3; press += 1) {
    source.renew().catch(nothing)
    await voice.advance(50)
    expect(voice.service.requests).toHaveLength(press)
    await voice.advance(1_000)
  }
  expect(said).not.toHaveBeenCalled()
})

it('three components that renew at once, after a failure, send one request at once', async () => {
  const { voice, source } = setup('CACHE_UNAVAILABLE')
  source.retain()
  await voice.advance(50)
  expect(voice.service.requests).toHaveLength(1)
  for (let i = 0; i < 3; i += 1) source.renew().catch(nothing)
  await voice.advance(50)
  expect(voice.service.requests).toHaveLength(2)
  expect(said).not.toHaveBeenCalled()
})

it('tells when the next attempt starts, and nothing while one runs or none will', async () => {
  const { voice, source } = setup('CACHE_UNAVAILABLE')
  source.retain()
  await voice.advance(50)
  const { retryAt } = source.state()
  const inMs = (retryAt?.getTime() ?? 0) - (Date.UTC(2026, 0, 1) + voice.now() - 1_000)
  expect(inMs).toBeGreaterThan(0)
  expect(source.state().retryAt).toBe(retryAt)
  await voice.advance(inMs)
  expect(source.state().retryAt).toBeNull()
  const final = setup('FORBIDDEN')
  final.source.retain()
  await final.voice.advance(50)
  expect(final.source.state()).toMatchObject({ status: 'error', retryAt: null })
})
