import { onlineManager } from '@tanstack/react-query'
import { act, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useUsage } from '../usage/useUsage.js'
import { useMeeting } from './useMeeting.js'
import { useMeetings } from './useMeetings.js'
import { useTags } from './useTags.js'

/* TanStack Query pauses a query while the browser is offline. */

afterEach(() => onlineManager.setOnline(true))

const goOffline = (): void => act(() => onlineManager.setOnline(false))
const goOnline = (): void => act(() => onlineManager.setOnline(true))

const PAUSED = { fetchStatus: 'paused', isPaused: true }

describe('a list', () => {
  it('that is opened offline says so, and loads by itself', async () => {
    await using setup = await setupVoice()
    goOffline()
    const { result } = setup.render(() => useMeetings())
    expect(result.current).toMatchObject({ ...PAUSED, status: 'pending', isFetching: false, error: null })
    goOnline()
    await waitFor(() => expect(result.current.meetings).toHaveLength(20))
    expect(result.current).toMatchObject({ fetchStatus: 'idle', isPaused: false })
  })

  it.each(['fetchNextPage', 'refetch', 'refresh'] as const)(
    'says so after %s, which ends, and is done when the network is back',
    async (call) => {
      await using setup = await setupVoice()
      const { result } = setup.render(() => useMeetings({ pageSize: 10 }))
      await waitFor(() => expect(result.current.hasNextPage).toBe(true))
      goOffline()
      await act(() => result.current[call]())
      // A second call ends too.
      await act(() => result.current[call]())
      await waitFor(() => expect(result.current.isPaused).toBe(true))
      expect(result.current).toMatchObject({ ...PAUSED, status: 'success', isRefreshing: false })
      expect(setup.asked).toHaveLength(1)
      goOnline()
      await waitFor(() => expect(setup.asked).toHaveLength(2))
      await waitFor(() => expect(result.current.fetchStatus).toBe('idle'))
      expect(result.current.isPaused).toBe(false)
      expect(result.current.meetings).toHaveLength(call === 'fetchNextPage' ? 20 : 10)
    },
  )

  it('ends a call that the network leaves while it waits for its next attempt', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res, next) => {
      if (onlineManager.isOnline() && setup.asked.length > 2) return next()
      onlineManager.setOnline(false)
      res
        .status(503)
        .json({ error_code: 'BUDGET_EXHAUSTED', retryable: true, retry_after_ms: 20, request_id: 'r' })
    })
    const { result } = setup.render(() => useMeetings())
    await waitFor(() => expect(result.current.isPaused).toBe(true))
    await act(() => result.current.refetch())
    expect(result.current).toMatchObject({ ...PAUSED, failureReason: { code: 'BUDGET_EXHAUSTED' } })
  })

  it("requests it all the same with `networkMode: 'always'` of the application", async () => {
    await using setup = await setupVoice()
    setup.queryClient.setDefaultOptions({ queries: { networkMode: 'always' } })
    goOffline()
    const { result } = setup.render(() => useMeetings())
    await waitFor(() => expect(result.current.status).toBe('success'))
  })
})

/** What the hooks share. */
interface Shared {
  readonly fetchStatus: string
  readonly refetch: () => Promise<void>
}

it.each<readonly [string, () => Shared]>([
  ['useMeeting', () => useMeeting('m1')],
  ['useTags', () => useTags()],
  ['useUsage', () => useUsage()],
])('%s says that it waits for the network, and its `refetch` ends', async (_name, hook) => {
  await using setup = await setupVoice()
  goOffline()
  const { result } = setup.render(hook)
  expect(result.current).toMatchObject({ ...PAUSED, status: 'pending', error: null })
  await act(() => result.current.refetch())
  expect(result.current).toMatchObject(PAUSED)
  expect(setup.asked).toEqual([])
  goOnline()
  await waitFor(() => expect(result.current.fetchStatus).toBe('idle'))
  expect(setup.asked).toHaveLength(1)
})
