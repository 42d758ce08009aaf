import { expireCursors } from '@stagepass/emulator'
import { useInfiniteQuery } from '@tanstack/react-query'
import { act, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { meetingsOptions } from './meetingsOptions.js'
import { useMeetings } from './useMeetings.js'

const FILTERS = { pageSize: 10 }

/** The BFF keeps a page for three seconds, and with it a cursor that has expired meanwhile. */
const WITHOUT_CACHE = { bff: { meetings: { cacheMs: 0 } } }

const cursorOf = (path: string): string | null => new URLSearchParams(path.split('?')[1]).get('cursor')

/**
 * Refuses the cursors of all pages that were loaded until now, as a service does when they have expired. A
 * new meeting is above the others, so fresh cursors are other ones.
 */
function expireOld({ queryClient, stack, voice }: VoiceSetup): void {
  const { pages = [] } = queryClient.getQueryData(meetingsOptions(voice, FILTERS).queryKey) ?? {}
  const dead = new Set(pages.map(({ next_cursor }) => next_cursor))
  stack.upstream.meetings.add({ id: 'new', created_at: '2030-01-01T00:00:00.000Z' })
  stack.intercept((req, res, next) => {
    if (!dead.has(cursorOf(req.url))) return next()
    res
      .status(400)
      .json({ error_code: 'VALIDATION_ERROR', field: 'cursor', retryable: false, request_id: 'r' })
  })
}

it('a refresh gives a list of one page the fresh cursor', async () => {
  await using setup = await setupVoice(WITHOUT_CACHE)
  const { result } = setup.render(() => useMeetings(FILTERS))
  await waitFor(() => expect(result.current.hasNextPage).toBe(true))
  expireOld(setup)
  await act(() => result.current.refresh())
  await act(() => result.current.fetchNextPage())
  await waitFor(() => expect(result.current.meetings).toHaveLength(20))
  expect(result.current.status).toBe('success')
  // The list, the refresh, the next page.
  expect(setup.asked).toHaveLength(3)
})

it('after a refresh of several pages the next page is loaded, although its cursor has expired', async () => {
  await using setup = await setupVoice(WITHOUT_CACHE)
  const { result } = setup.render(() => useMeetings(FILTERS))
  await waitFor(() => expect(result.current.hasNextPage).toBe(true))
  await act(() => result.current.fetchNextPage())
  await waitFor(() => expect(result.current.meetings).toHaveLength(20))
  expireOld(setup)
  await act(() => result.current.refresh())
  await act(() => result.current.fetchNextPage())
  await waitFor(() => expect(result.current.meetings).toHaveLength(30))
  expect(result.current.status).toBe('success')
})

it('a refresh loads all pages again if the cursor of the next one was refused', async () => {
  await using setup = await setupVoice(WITHOUT_CACHE)
  const { result } = setup.render(() => ({
    hook: useMeetings(FILTERS),
    query: useInfiniteQuery(meetingsOptions(setup.voice, FILTERS)),
  }))
  await waitFor(() => expect(result.current.hook.hasNextPage).toBe(true))
  await act(() => result.current.hook.fetchNextPage())
  await waitFor(() => expect(result.current.hook.meetings).toHaveLength(20))
  expireOld(setup)
  await act(async () => void (await result.current.query.fetchNextPage()))
  await waitFor(() => expect(result.current.hook.error).toMatchObject({ field: 'cursor' }))
  expect(result.current.hook).toMatchObject({ isFetchNextPageError: true, isRefetchError: false })

  const before = setup.asked.length
  await act(() => result.current.hook.refresh())
  expect(setup.asked.slice(before).map((path) => cursorOf(path) !== null)).toEqual([false, true])
  await waitFor(() => expect(result.current.hook.status).toBe('success'))
  expect(result.current.hook.meetings).toHaveLength(20)
  await act(async () => void (await result.current.query.fetchNextPage()))
  await waitFor(() => expect(result.current.hook.meetings).toHaveLength(30))
})

it('a refresh is an error of the list, not of the refresh, if a fresh cursor is refused too', async () => {
  await using setup = await setupVoice(WITHOUT_CACHE)
  const { result } = setup.render(() => useMeetings(FILTERS))
  await waitFor(() => expect(result.current.hasNextPage).toBe(true))
  await act(() => result.current.fetchNextPage())
  setup.stack.upstream.use(expireCursors())
  await act(() => result.current.fetchNextPage())
  await waitFor(() => expect(result.current.isRefetchError).toBe(true))
  expect(result.current).toMatchObject({ isError: true, isFetchNextPageError: false })
  await act(() => result.current.refresh())
  await waitFor(() => expect(result.current.isRefreshing).toBe(false))
  expect(result.current).toMatchObject({ isError: true, refreshError: null })
  expect(result.current.meetings).toHaveLength(20)
})
