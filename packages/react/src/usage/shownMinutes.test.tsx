import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { useStream } from '../stream/useStream.js'
import { useUsage } from './useUsage.js'
import { createVirtualVoice, type VirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { pageOf } from '../client/pageOf.test.kit.js'

afterEach(cleanup)

const STT = {
  used_ms: 60_000,
  reserved_ms: 600_000,
  limit_ms: 1_800_000,
  resets_at: '2026-01-02T00:00:00.000Z',
}

function Minutes({ isOpen }: { readonly isOpen: boolean }): ReactNode {
  const { usedMs, limitMs, status } = useUsage('stt')
  useStream('stt', { enabled: isOpen })
  return `${status} ${usedMs} of ${limitMs}`
}

async function shown(voice: VirtualVoice) {
  const queryClient = new QueryClient()
  const page = render(<Minutes isOpen />, { wrapper: pageOf(voice.client, queryClient) })
  await act(() => voice.advance(100))
  return { text: () => page.container.textContent, end: () => page.rerender(<Minutes isOpen={false} />) }
}

const sent = ({ service }: VirtualVoice): number =>
  service.requests.filter(({ path }) => path === '/usage').length

it('counts the time before useUsage is mounted', async () => {
  const voice = createVirtualVoice({ usage: { stt: STT } })
  const queryClient = new QueryClient()
  function Dictation(): ReactNode {
    useStream('stt')
    return null
  }
  const tree = (isShown: boolean): ReactNode => (
    <>
      <Dictation />
      {isShown && <Minutes isOpen />}
    </>
  )
  const page = render(tree(false), { wrapper: pageOf(voice.client, queryClient) })
  await act(() => voice.advance(60_000))
  page.rerender(tree(true))
  await act(() => voice.advance(100))
  await vi.waitFor(() => expect(page.container.textContent).toMatch(/^success (?:119|120)\d{3} of/))
})

it('counts nothing by itself', async () => {
  const voice = createVirtualVoice()
  const { text, end } = await shown(voice)
  await vi.waitFor(() => expect(text()).toBe('success undefined of undefined'))
  end()
  await act(() => voice.advance(1_000))
  expect(sent(voice)).toBe(1)
})

it('counts the numbers of the test, and the time that passes in it', async () => {
  const voice = createVirtualVoice({ usage: { stt: STT } })
  const { text, end } = await shown(voice)
  await act(() => voice.advance(60_000))
  await vi.waitFor(() => expect(text()).toMatch(/^success (?:119|120)\d{3} of 1800000$/))
  voice.service.usage = { stt: { ...STT, used_ms: 300_000, reserved_ms: 0 } }
  end()
  await act(() => voice.advance(1_000))
  await vi.waitFor(() => expect(text()).toBe('success 300000 of 1800000'))
})

it('shows the error of an answer to a report that cannot be read', async () => {
  const voice = createVirtualVoice({ usage: { stt: STT } })
  const { text, end } = await shown(voice)
  await act(() => voice.advance(60_000))
  voice.service.usage = { stt: { ...STT, used_ms: 'many' as unknown as number } }
  end()
  await act(() => voice.advance(1_000))
  await vi.waitFor(() => expect(text()).toMatch(/^error /))
})
