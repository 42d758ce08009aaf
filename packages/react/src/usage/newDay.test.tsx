import { act, cleanup, render, screen, waitFor } from '@testing-library/react'
import { dehydrate, type DehydratedState, hydrate, QueryClient } from '@tanstack/react-query'
import { afterEach, expect, it } from 'vitest'
import { createVirtualVoice, type VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { useUsage } from './useUsage.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

const HOUR = 3_600_000

const dayOf = (usedMs: number, resetsAt: string) => ({
  stt: { used_ms: usedMs, reserved_ms: 0, limit_ms: 1_200_000, resets_at: resetsAt },
})

/** The day that ends at the midnight after the start of the virtual clock, all used up. */
const TODAY = dayOf(1_200_000, '2026-01-02T00:00:00.000Z')
const TOMORROW = dayOf(0, '2026-01-03T00:00:00.000Z')

function Minutes() {
  const { usedMs, resetsAt } = useUsage('stt')
  return <p role="status">{`${usedMs} until ${resetsAt?.toISOString()}`}</p>
}

function show(voice: VirtualVoice, queryClient = new QueryClient()): QueryClient {
  render([<Minutes key="one" />, <Minutes key="other" />], { wrapper: pageOf(voice.client, queryClient) })
  return queryClient
}

const words = (): (string | null)[] => screen.getAllByRole('status').map((line) => line.textContent)
const asked = (voice: VirtualVoice): number =>
  voice.service.requests.filter(({ path }) => path === '/usage').length
const SHOWN = '1200000 until 2026-01-02T00:00:00.000Z'
const NEW = '0 until 2026-01-03T00:00:00.000Z'

it('asks once when the new day has begun', async () => {
  const voice = createVirtualVoice({ usage: TODAY })
  voice.jumpClock(23.9 * HOUR)
  show(voice)
  await act(() => voice.advance(1_000))
  await waitFor(() => expect(words()).toEqual([SHOWN, SHOWN]))
  await act(() => voice.advance(0.05 * HOUR))
  expect(asked(voice)).toBe(1)
  voice.service.usage = TOMORROW
  await act(() => voice.advance(0.1 * HOUR))
  await waitFor(() => expect(words()).toEqual([NEW, NEW]))
  expect(asked(voice)).toBe(2)
})

it('asks after a sleep over midnight', async () => {
  const voice = createVirtualVoice({ usage: TODAY })
  show(voice)
  await act(() => voice.advance(1_000))
  await waitFor(() => expect(words()).toEqual([SHOWN, SHOWN]))
  voice.service.usage = TOMORROW
  await act(() => voice.sleep(25 * HOUR))
  await act(() => voice.advance(2_000))
  await waitFor(() => expect(words()).toEqual([NEW, NEW]))
})

it('asks at once if the numbers come from a persisted cache of yesterday', async () => {
  const voice = createVirtualVoice({ usage: TODAY })
  const first = show(voice)
  await act(() => voice.advance(1_000))
  const persisted = JSON.parse(JSON.stringify(dehydrate(first))) as DehydratedState
  cleanup()
  voice.jumpClock(25 * HOUR)
  voice.service.usage = TOMORROW
  const reloaded = new QueryClient()
  hydrate(reloaded, persisted)
  show(voice, reloaded)
  expect(words()).toEqual(['1200000 until undefined', '1200000 until undefined'])
  await act(() => voice.advance(500))
  await waitFor(() => expect(words()).toEqual([NEW, NEW]))
})

it('names no time in the past, and asks once a minute, while the clock of the page is ahead of the server', async () => {
  const voice = createVirtualVoice({ usage: TODAY })
  voice.jumpClock(24 * HOUR)
  show(voice)
  await act(() => voice.advance(10_000))
  await waitFor(() => expect(words()).toEqual(['1200000 until undefined', '1200000 until undefined']))
  await act(() => voice.advance(10 * 60_000))
  expect(asked(voice)).toBeLessThanOrEqual(13)
  voice.service.usage = TOMORROW
  await act(() => voice.advance(61_000))
  await waitFor(() => expect(words()).toEqual([NEW, NEW]))
})
