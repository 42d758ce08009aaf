import { act, waitFor } from '@testing-library/react'
import { useEffect } from 'react'
import { expireCursors, fail } from '@stagepass/emulator'
import { expect, it } from 'vitest'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useEndless } from './useEndless.js'
import type { MeetingsFilters } from './MeetingsFilters.js'
import { useMeetings } from './useMeetings.js'

it('does nothing in a page without IntersectionObserver', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => {
    const list = useMeetings({ pageSize: 10 })
    const { endRef } = useEndless(list)
    useEffect(() => endRef(document.body), [endRef])
    return list
  })
  await waitFor(() => expect(result.current.meetings).toHaveLength(10))
  expect(typeof IntersectionObserver).toBe('undefined')
  expect(setup.asked).toHaveLength(1)
})

const FIRST: MeetingsFilters = { pageSize: 10 }

function useList(filters: MeetingsFilters) {
  const list = useMeetings(filters)
  return { list, end: useEndless(list) }
}

it('gives the focus to the first row that a press loads, and to no row of other filters', async () => {
  await using setup = await setupVoice()
  const { result, rerender } = setup.render(useList, { initialProps: FIRST })
  await waitFor(() => expect(result.current.list.meetings).toHaveLength(10))
  expect(result.current.end.focusAt).toBe(-1)
  act(() => result.current.end.loadMore())
  expect(result.current.end.focusAt).toBe(10)
  await waitFor(() => expect(result.current.list.meetings).toHaveLength(20))
  expect(result.current.end.focusAt).toBe(10)
  rerender({ ...FIRST, ownership: 'mine' })
  expect(result.current.end.focusAt).toBe(-1)
})

it('loads the first page by a press, if it has failed', async () => {
  await using setup = await setupVoice()
  setup.stack.upstream.use(fail('SCOPE_MISSING', { times: 1 }))
  const { result } = setup.render(useList, { initialProps: {} })
  await waitFor(() => expect(result.current.list.status).toBe('error'))
  act(() => result.current.end.loadMore())
  await waitFor(() => expect(result.current.list.meetings).toHaveLength(20))
  expect([result.current.list.status, result.current.end.focusAt]).toEqual(['success', 0])
})

it('loads the list again from its start if a cursor is no longer valid, and goes on, without an error', async () => {
  await using setup = await setupVoice()
  const seen: ReturnType<typeof useList>['list'][] = []
  const { result } = setup.render(() => {
    const one = useList(FIRST)
    seen.push(one.list)
    return one
  })
  await waitFor(() => expect(result.current.list.meetings).toHaveLength(10))
  setup.stack.upstream.use(expireCursors({ times: 1 }))
  act(() => result.current.end.loadMore())
  await waitFor(() => expect(result.current.list.meetings).toHaveLength(20))
  await waitFor(() => expect(result.current.list.isFetching).toBe(false))
  expect(result.current.list.status).toBe('success')
  const loaded = seen.slice(seen.findIndex(({ meetings }) => meetings.length > 0))
  expect(loaded.every(({ meetings }) => meetings.length >= 10)).toBe(true)
  expect(loaded.every(({ isError }) => !isError)).toBe(true)
  const cursors = setup.asked.map((path) => new URLSearchParams(path.split('?')[1]).has('cursor'))
  expect(cursors).toEqual([false, true, false, true])
})

it.each([400, 404, 410] as const)(
  'ends with its own words if a fresh cursor is refused with %i too, and a press does not repeat it',
  async (status) => {
    await using setup = await setupVoice()
    const { result } = setup.render(() => useList(FIRST))
    await waitFor(() => expect(result.current.list.meetings).toHaveLength(10))
    const restore = setup.stack.upstream.use(expireCursors({ status }))
    act(() => result.current.end.loadMore())
    await waitFor(() => expect(result.current.list.status).toBe('error'))
    expect(result.current.list.meetings).toHaveLength(10)
    expect(result.current.list.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: 'cursor',
      retryable: false,
      message: 'The list has changed, so its next page cannot be loaded. Load the list again.',
    })
    expect(setup.asked).toHaveLength(4)
    restore()
    act(() => result.current.end.loadMore())
    await waitFor(() => expect(result.current.list.status).toBe('success'))
    expect(new URLSearchParams(setup.asked.at(-1)?.split('?')[1]).has('cursor')).toBe(false)
  },
)
