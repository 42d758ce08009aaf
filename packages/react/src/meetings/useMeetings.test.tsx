import { fail } from '@stagepass/emulator'
import { useInfiniteQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { act, waitFor } from '@testing-library/react'
import { Suspense } from 'react'
import { describe, expect, it } from 'vitest'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { createVirtualPlatform } from '../virtual/createVirtualPlatform.test.kit.js'
import type { MeetingsFilters } from './MeetingsFilters.js'
import type { UseMeetingsResult } from './useMeetings.js'
import { useMeetings } from './useMeetings.js'
import { meetingOptions } from './meetingOptions.js'
import { meetingsOptions } from './meetingsOptions.js'
import { tagsOptions } from './tagsOptions.js'

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  return { promise: new Promise<void>((done) => (resolve = done)), resolve: () => resolve() }
}

const idsOf = ({ meetings }: { meetings: readonly { id: string }[] }): string[] =>
  meetings.map(({ id }) => id)

/** Renders the list and waits until it is loaded. */
async function shown(setup: VoiceSetup, filters?: MeetingsFilters) {
  const { result } = setup.render(() => useMeetings(filters))
  await waitFor(() => expect(result.current.status).toBe('success'))
  return result
}

/** Adds a meeting `fresh` above this one. */
function addAbove({ stack }: VoiceSetup, below: string | undefined): void {
  const row = stack.upstream.meetings.all().find(({ id }) => id === below)
  if (!row) throw new Error('the emulator does not know its own meeting')
  stack.upstream.meetings.add({ ...row, id: 'fresh', created_at: '2027-01-01T00:00:00.000Z' })
}

describe('paging', () => {
  it('pages through the whole list, each meeting once, with one call a page', async () => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useMeetings({ pageSize: 40 }))
    expect(result.current).toMatchObject({ meetings: [], status: 'pending', hasNextPage: false, error: null })
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(result.current.meetings).toHaveLength(40)
    let pages = 1
    while (result.current.hasNextPage) {
      pages += 1
      await act(() => result.current.fetchNextPage())
      await waitFor(() => expect(result.current.meetings.length > (pages - 1) * 40).toBe(true))
    }
    const ids = idsOf(result.current)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength(result.current.total ?? 0)
    expect(setup.asked).toHaveLength(pages)
    await act(() => result.current.fetchNextPage())
    expect(setup.asked).toHaveLength(pages)
  })

  it('shows no meeting twice when the list shifts between pages', async () => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useMeetings({ pageSize: 10, fields: ['title'] }))
    await waitFor(() => expect(result.current.meetings).toHaveLength(10))
    const created_at = new Date(Date.now() + 86_400_000).toISOString()
    setup.stack.upstream.meetings.add({ id: 'new', created_at, visibility: 'owned', processing: false })
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.meetings.length).toBeGreaterThan(15))
    const shown = idsOf(result.current)
    expect(new Set(shown).size).toBe(shown.length)
    await act(() => result.current.refresh())
    await waitFor(() => expect(result.current.meetings[0]?.id).toBe('new'))
    const refreshed = idsOf(result.current)
    expect(new Set(refreshed).size).toBe(refreshed.length)
  })

  it('makes one request for several calls in a row', async () => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useMeetings({ pageSize: 10 }))
    await waitFor(() => expect(result.current.hasNextPage).toBe(true))
    const arrived = deferred()
    const held = deferred()
    setup.stack.intercept((_req, _res, next) => {
      arrived.resolve()
      void held.promise.then(() => next())
    })
    await act(async () => {
      const first = result.current.fetchNextPage()
      await arrived.promise
      const second = result.current.fetchNextPage()
      held.resolve()
      await Promise.all([first, second])
    })
    await waitFor(() => expect(result.current.meetings).toHaveLength(20))
    expect(setup.asked).toHaveLength(2)
  })

  it('requests nothing again at mount, focus and reconnect', async () => {
    await using setup = await setupVoice()
    const { result, unmount } = setup.render(() => useMeetings())
    await waitFor(() => expect(result.current.status).toBe('success'))
    unmount()
    const again = setup.render(() => useMeetings())
    act(() => {
      window.dispatchEvent(new Event('focus'))
      document.dispatchEvent(new Event('visibilitychange'))
      window.dispatchEvent(new Event('offline'))
      window.dispatchEvent(new Event('online'))
    })
    expect(again.result.current.meetings).toHaveLength(20)
    await act(async () => {})
    expect(setup.asked).toEqual(['/meetings'])
  })

  it('stops if a cursor leads to itself', async () => {
    await using setup = await setupVoice()
    setup.stack.intercept((_req, res) => void res.json({ meetings: [{ id: 'a' }], next_cursor: 'c' }))
    const { result } = setup.render(() => useMeetings())
    await waitFor(() => expect(result.current.hasNextPage).toBe(true))
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.hasNextPage).toBe(false))
    expect(idsOf(result.current)).toEqual(['a'])
  })
})

describe('filters', () => {
  it('keeps the old list until the new one is loaded, with isPlaceholderData', async () => {
    await using setup = await setupVoice()
    const { result, rerender } = setup.render((filters: MeetingsFilters) => useMeetings(filters), {
      initialProps: {},
    })
    await waitFor(() => expect(result.current.status).toBe('success'))
    const before = idsOf(result.current)
    rerender({ ownership: 'shared' })
    expect(result.current).toMatchObject({ status: 'success', isPlaceholderData: true })
    expect(idsOf(result.current)).toEqual(before)
    await waitFor(() => expect(result.current.isPlaceholderData).toBe(false))
    expect(idsOf(result.current)).not.toEqual(before)
  })

  it('shows no rows of the old fields under the type of the new ones', async () => {
    await using setup = await setupVoice()
    const { result, rerender } = setup.render((filters: MeetingsFilters) => useMeetings(filters), {
      initialProps: { fields: ['title'] },
    })
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(Object.keys(result.current.meetings[0] ?? {}).toSorted()).toEqual(['id', 'title'])
    rerender({ fields: ['title', 'participants'] })
    expect(result.current).toMatchObject({ status: 'pending', meetings: [] })
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(Object.keys(result.current.meetings[0] ?? {}).toSorted()).toEqual(['id', 'participants', 'title'])
  })

  it('aborts the request of the previous filters', async () => {
    await using setup = await setupVoice()
    const arrived = deferred()
    const aborted = deferred()
    setup.stack.intercept((req, res, next) => {
      if (!req.url.includes('mine')) return next()
      arrived.resolve()
      res.on('close', aborted.resolve)
    })
    const { result, rerender } = setup.render((filters: MeetingsFilters) => useMeetings(filters), {
      initialProps: { ownership: 'mine' },
    })
    await arrived.promise
    rerender({ ownership: 'shared' })
    await aborted.promise
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(setup.events).toEqual([])
  })

  it('sends a search that is typed letter by letter once, and an empty search at once', async () => {
    const platform = createVirtualPlatform()
    await using setup = await setupVoice({ client: { platform } })
    const { result, rerender } = setup.render(({ search }) => useMeetings({ search }), {
      initialProps: { search: '' },
    })
    await waitFor(() => expect(result.current.status).toBe('success'))
    for (const search of ['r', 're', 'rev', 'revi', 'review']) {
      rerender({ search })
      await act(() => platform.advance(299))
    }
    expect(setup.asked).toHaveLength(1)
    expect(result.current).toMatchObject({ status: 'success', isPlaceholderData: true })
    await act(() => platform.advance(1))
    await waitFor(() => expect(result.current.isPlaceholderData).toBe(false))
    expect(setup.asked).toEqual(['/meetings', '/meetings?q=review'])
    rerender({ search: '  review ' })
    expect(result.current.isPlaceholderData).toBe(false)
    rerender({ search: '' })
    expect(result.current.isPlaceholderData).toBe(false)
    expect(setup.asked).toHaveLength(2)
  })

  it('sends no new request for a bound that is created at every render', async () => {
    await using setup = await setupVoice()
    let from = Date.now() - 86_400_000
    const { result, rerender } = setup.render(() => useMeetings({ from: new Date((from += 1)) }))
    await waitFor(() => expect(result.current.status).toBe('success'))
    for (let i = 0; i < 20; i++) rerender()
    expect(setup.queryClient.isFetching()).toBe(0)
    expect(setup.asked).toHaveLength(1)
  })

  it('says when the shown list was loaded, and not how old that of the previous filters is', async () => {
    await using setup = await setupVoice()
    const { result, rerender } = setup.render((filters: MeetingsFilters) => useMeetings(filters), {
      initialProps: {},
    })
    expect(result.current.dataUpdatedAt).toBe(0)
    const before = Date.now()
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(result.current.dataUpdatedAt).toBeGreaterThanOrEqual(before)
    expect(result.current.dataUpdatedAt).toBeLessThanOrEqual(Date.now())
    rerender({ ownership: 'shared' })
    expect(result.current).toMatchObject({ isPlaceholderData: true, dataUpdatedAt: 0 })
  })

  it('names the field of a filter that the BFF refuses', async () => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useMeetings({ from: '2026-02-01', to: '2026-01-01' }))
    await waitFor(() => expect(result.current.status).toBe('error'))
    expect(result.current.error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, field: 'from' })
  })

  it('a tag with a comma is refused, and is not two tags', async () => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useMeetings({ tags: ['tag-a,tag-b'] }))
    await waitFor(() => expect(result.current.status).toBe('error'))
    expect(result.current.error).toMatchObject({ code: 'VALIDATION_ERROR', status: 400, field: 'tags' })
    expect(setup.stack.upstream.counts.list).toBe(0)
  })
})

describe('failures', () => {
  it('stays pending while it waits, obeys Retry-After, and continues automatically', async () => {
    await using setup = await setupVoice()
    let refusals = 0
    setup.stack.intercept((_req, res, next) => {
      if (refusals++ > 0) return next()
      res
        .status(503)
        .json({ error_code: 'BUDGET_EXHAUSTED', retryable: true, retry_after_ms: 40, request_id: 'r' })
    })
    const seen: UseMeetingsResult<unknown>[] = []
    const { result } = setup.render(() => {
      const list = useMeetings()
      seen.push(list)
      return list
    })
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(result.current.failureReason).toBeNull()
    expect(refusals).toBe(2)
    expect(seen.some(({ status }) => status === 'error')).toBe(false)
    expect(seen.find(({ failureReason }) => failureReason)).toMatchObject({
      status: 'pending',
      error: null,
      failureReason: { code: 'BUDGET_EXHAUSTED', retryAfterMs: 40 },
    })
  })

  it('keeps the list when a page fails, and continues from there', async () => {
    await using setup = await setupVoice({ bff: { meetings: { cacheMs: 0 } } })
    const result = await shown(setup, { pageSize: 10 })
    setup.stack.upstream.use(fail('SCOPE_MISSING', { times: 1 }))
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.status).toBe('error'))
    expect(result.current.error?.code).toBe('MEETINGS_CREDENTIAL_REJECTED')
    expect(result.current).toMatchObject({ isFetchNextPageError: true, isRefetchError: false })
    expect(result.current.meetings).toHaveLength(10)
    setup.stack.upstream.use(fail('SCOPE_MISSING', { times: 1 }))
    await act(() => result.current.refetch())
    await waitFor(() => expect(result.current.isRefetchError).toBe(true))
    expect(result.current.isFetchNextPageError).toBe(false)
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.meetings).toHaveLength(20))
    expect(result.current).toMatchObject({ status: 'success', error: null })
  })

  it('does not throw if the application throws its query errors', async () => {
    await using setup = await setupVoice()
    setup.queryClient.setDefaultOptions({ queries: { throwOnError: true } })
    setup.stack.upstream.use(fail('SCOPE_MISSING'))
    const { result } = setup.render(() => useMeetings())
    await waitFor(() => expect(result.current.status).toBe('error'))
  })
})

describe('refresh', () => {
  it('fetches page one without the cache and merges it by id, with one call', async () => {
    await using setup = await setupVoice()
    const result = await shown(setup, { pageSize: 10 })
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.meetings).toHaveLength(20))
    const before = idsOf(result.current)
    addAbove(setup, before[0])

    const headers: (string | undefined)[] = []
    setup.stack.intercept((req, _res, next) => {
      headers.push(req.get('cache-control'))
      next()
    })
    await act(async () => {
      await Promise.all([result.current.refresh(), result.current.refresh()])
    })
    await waitFor(() => expect(idsOf(result.current)).toEqual(['fresh', ...before]))
    expect(headers).toEqual(['no-cache'])
    expect(result.current).toMatchObject({ hasNextPage: true, isRefreshing: false, refreshError: null })
  })

  it('is not overwritten by a page that is being loaded', async () => {
    await using setup = await setupVoice()
    const result = await shown(setup, { pageSize: 10 })
    const before = idsOf(result.current)
    addAbove(setup, before[0])
    const held = deferred()
    const headAsked = deferred()
    setup.stack.intercept((req, res, next) => {
      if (req.url.includes('cursor')) void held.promise.then(() => next())
      else {
        res.on('finish', headAsked.resolve)
        next()
      }
    })
    await act(async () => {
      const page = result.current.fetchNextPage()
      const head = result.current.refresh()
      await headAsked.promise
      held.resolve()
      await Promise.all([page, head])
    })
    await waitFor(() => expect(idsOf(result.current).slice(0, 11)).toEqual(['fresh', ...before]))
    expect(result.current.meetings).toHaveLength(21)
  })

  it('does not change the list when it fails, and reports why', async () => {
    await using setup = await setupVoice()
    const result = await shown(setup, { pageSize: 10 })
    setup.stack.upstream.use(fail('SCOPE_MISSING'))
    await act(() => result.current.refresh())
    await waitFor(() => expect(result.current.refreshError?.code).toBe('MEETINGS_CREDENTIAL_REJECTED'))
    expect(result.current).toMatchObject({ status: 'success', error: null })
    expect(result.current.meetings).toHaveLength(10)
  })
})

describe('meetingsOptions', () => {
  it('works with prefetching, useInfiniteQuery, Suspense and cache writes, in one request', async () => {
    await using setup = await setupVoice()
    const options = meetingsOptions(setup.voice, { pageSize: 5, fields: ['title'] })
    await setup.queryClient.prefetchInfiniteQuery(options)
    const { result } = setup.render(
      () => ({
        hook: useMeetings({ fields: ['title'], pageSize: 5 }),
        query: useInfiniteQuery(options),
        suspense: useSuspenseInfiniteQuery(options),
      }),
      {
        wrapper: ({ children }) => (
          <setup.Wrapper>
            <Suspense fallback="waiting">{children}</Suspense>
          </setup.Wrapper>
        ),
      },
    )
    expect(result.current.hook.meetings).toHaveLength(5)
    const id = result.current.hook.meetings[0]?.id ?? ''
    expect(setup.asked).toHaveLength(1)
    const { queryClient, voice } = setup
    expect(await queryClient.fetchQuery(tagsOptions(voice))).toBeDefined()
    expect(await queryClient.fetchQuery(meetingOptions(voice, id))).toMatchObject({ id })
    expect(result.current.query.data?.pages).toHaveLength(1)
    expect(result.current.suspense.data.pages[0]?.meetings).toHaveLength(5)
    act(() => {
      setup.queryClient.setQueryData(options.queryKey, (old) => ({
        pages: [{ meetings: [{ id: 'x', title: 'written' }], next_cursor: null }],
        pageParams: old?.pageParams ?? [null],
      }))
    })
    await waitFor(() => expect(result.current.hook.meetings).toEqual([{ id: 'x', title: 'written' }]))
    expect(setup.asked).toHaveLength(3)
  })
})
