import { focusManager, onlineManager, QueryClient } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { useTags } from '../meetings/useTags.js'
import { useUsage } from '../usage/useUsage.js'
import { pageOf } from '../client/pageOf.test.kit.js'

/* What happens after the retries of a request have failed. */

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})

afterEach(() => {
  cleanup()
  focusManager.setFocused(undefined)
  onlineManager.setOnline(true)
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const MINUTE = 60_000

const ANSWERS: Readonly<Record<string, object>> = {
  '/meetings': { meetings: [{ id: 'm1' }], next_cursor: null },
  '/meetings/m1': { id: 'm1' },
  '/tags': { tags: [{ id: 't1', name: 'Team' }] },
  '/usage': { usage: {} },
}

const OUTAGE = { status: 503, error_code: 'UPSTREAM_UNREACHABLE', retryable: true }

/** A page with the hook, and a BFF that gives `problem` until it is undefined. */
function show(hook: () => { readonly status: string }, first: Record<string, unknown>) {
  const page = {
    problem: first as Record<string, unknown> | undefined,
    /** When the BFF was asked, in milliseconds. */
    asked: [] as number[],
    status: '',
  }
  const start = Date.now()
  const voice = createVoiceClient({
    url: '/api',
    fetch: (input) => {
      page.asked.push(Date.now() - start)
      const [path = ''] = (input as string).replace('/api', '').split('?')
      const { status = 200, ...body }: Record<string, unknown> = page.problem ?? { ...ANSWERS[path] }
      return Promise.resolve(new Response(JSON.stringify(body), { status: Number(status) }))
    },
  })
  function Shown(): ReactNode {
    page.status = hook().status
    return null
  }
  render(<Shown />, { wrapper: pageOf(voice, new QueryClient()) })
  return page
}

const pass = (ms: number): Promise<void> => act(async () => void (await vi.advanceTimersByTimeAsync(ms)))

const HOOKS: readonly (readonly [string, () => { readonly status: string }])[] = [
  ['a list', () => useMeetings()],
  ['a meeting', () => useMeeting('m1')],
  ['the tags', () => useTags()],
  ['the minutes', () => useUsage()],
]

describe.each(HOOKS)('%s, after an outage,', (_name, hook) => {
  it('comes back by itself, and asks slowly meanwhile', async () => {
    const page = show(hook, OUTAGE)
    await pass(5 * MINUTE)
    // Each time with its three retries, which take 3.5 s.
    const begins = page.asked.filter((_at, index) => index % 4 === 0)
    expect(begins.map((at) => at / 1_000)).toEqual([0, 48.5, 97, 145.5, 194, 242.5, 291])
    const since = page.asked.at(-1) ?? 0
    page.problem = undefined
    await pass(MINUTE)
    expect(page.status).toBe('success')
    expect((page.asked.at(-1) ?? 0) - since).toBeLessThanOrEqual(MINUTE)
    const { length } = page.asked
    await pass(10 * MINUTE)
    expect(page.asked).toHaveLength(length)
  })

  it('comes back at once if the user comes back to the page', async () => {
    const page = show(hook, OUTAGE)
    await pass(4_000)
    expect([page.status, page.asked.length]).toEqual(['error', 4])
    act(() => focusManager.setFocused(false))
    await pass(10 * MINUTE)
    expect(page.asked).toHaveLength(4)
    page.problem = undefined
    act(() => focusManager.setFocused(true))
    await pass(0)
    expect([page.status, page.asked.length]).toEqual(['success', 5])
  })

  it('comes back at once with the network, and asks nothing offline', async () => {
    const page = show(hook, OUTAGE)
    await pass(4_000)
    act(() => onlineManager.setOnline(false))
    await pass(10 * MINUTE)
    expect(page.asked).toHaveLength(4)
    page.problem = undefined
    act(() => onlineManager.setOnline(true))
    await pass(0)
    expect([page.status, page.asked.length]).toEqual(['success', 5])
  })

  it('waits as long as the server says, also if the user comes back', async () => {
    const page = show(hook, { ...OUTAGE, retry_after_ms: 30 * MINUTE })
    // Five retries, each half an hour after the one before.
    await pass(151 * MINUTE)
    expect([page.status, page.asked.length]).toEqual(['error', 6])
    for (const isFocused of [false, true]) act(() => focusManager.setFocused(isFocused))
    await pass(28 * MINUTE)
    expect(page.asked).toHaveLength(6)
    await pass(4 * MINUTE)
    expect(page.asked).toHaveLength(7)
  })

  it('stays as it is after a final error', async () => {
    const page = show(hook, { status: 403, error_code: 'FORBIDDEN', retryable: false })
    await pass(10 * MINUTE)
    for (const isFocused of [false, true]) act(() => focusManager.setFocused(isFocused))
    await pass(0)
    expect([page.status, page.asked.length]).toEqual(['error', 1])
  })
})

it('a list with several pages waits for its button, because each page costs a call', async () => {
  let load = (): void => {}
  const page = show(
    () => {
      const list = useMeetings()
      load = () => void list.fetchNextPage()
      return list
    },
    { meetings: [{ id: 'm1' }], next_cursor: 'a' },
  )
  await pass(0)
  page.problem = { meetings: [{ id: 'm2' }], next_cursor: 'b' }
  act(load)
  await pass(0)
  page.problem = OUTAGE
  act(load)
  await pass(MINUTE)
  expect([page.status, page.asked.length]).toEqual(['error', 6])
  for (const isFocused of [false, true]) act(() => focusManager.setFocused(isFocused))
  await pass(10 * MINUTE)
  expect(page.asked).toHaveLength(6)
})
