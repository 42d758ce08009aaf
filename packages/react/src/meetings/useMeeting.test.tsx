import { fail } from '@stagepass/emulator'
import { act, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import type { UseMeetingResult } from './useMeeting.js'
import { useMeeting } from './useMeeting.js'
import { useMeetings } from './useMeetings.js'

function anyMeeting(setup: VoiceSetup, processing: boolean): string {
  const row = setup.stack.upstream.meetings
    .all()
    .find((meeting) => meeting.processing === processing && meeting.visibility === 'owned')
  if (!row) throw new Error('the emulator holds no such meeting')
  return row.id
}

it('returns one meeting with the requested fields', async () => {
  await using setup = await setupVoice()
  const id = anyMeeting(setup, false)
  const { result } = setup.render(() => useMeeting(id, { fields: ['participants', 'title'] }))
  await waitFor(() => expect(result.current.status).toBe('success'))
  expect(result.current.meeting?.id).toBe(id)
  expect(Object.keys(result.current.meeting ?? {}).toSorted()).toEqual(['id', 'participants', 'title'])
  expect(setup.asked).toEqual([`/meetings/${id}?fields=participants%2Ctitle`])
})

it('reports that a meeting is still processed, polls at the pace of the server, and then returns it', async () => {
  await using setup = await setupVoice()
  const id = anyMeeting(setup, false)
  let polls = 0
  setup.stack.intercept((_req, res, next) => {
    polls += 1
    if (polls > 3) return next()
    res.status(409).json({
      error_code: 'MEETING_PROCESSING',
      retryable: true,
      retry_after_ms: 20,
      request_id: `r${polls}`,
    })
  })
  const seen: UseMeetingResult<unknown>[] = []
  const { result } = setup.render(() => {
    const one = useMeeting(id)
    seen.push(one)
    return one
  })
  await waitFor(() => expect(result.current.status).toBe('success'))
  expect(result.current).toMatchObject({ error: null, failureReason: null })
  expect(polls).toBe(4)
  // The status does not change between the polls.
  const statuses = seen.map(({ status }) => status)
  expect(statuses.filter((status, i) => status !== statuses[i - 1])).toEqual(['pending', 'success'])
  const [first] = seen.flatMap(({ failureReason }) => failureReason ?? [])
  expect(first).toMatchObject({ code: 'MEETING_PROCESSING', status: 409, retryable: true, requestId: 'r1' })
})

it('treats an unknown id as final', async () => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => useMeeting('no such meeting, 100%'))
  await waitFor(() => expect(result.current.status).toBe('error'))
  expect(result.current.error).toMatchObject({ code: 'NOT_FOUND', status: 404 })
  expect(setup.asked).toEqual(['/meetings/no%20such%20meeting%2C%20100%25'])
})

it.each(['', '.', '..'])('never sends the id "%s", which would lead to another route', async (id) => {
  await using setup = await setupVoice()
  const { result } = setup.render(() => useMeeting(id))
  await waitFor(() => expect(result.current.error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'id' }))
  expect(setup.asked).toEqual([])
})

it('requests nothing without an id, and requests again on demand', async () => {
  await using setup = await setupVoice()
  const { result, rerender } = setup.render(({ id }: { id?: string }) => useMeeting(id), {
    initialProps: {},
  })
  await act(async () => {})
  expect(setup.asked).toEqual([])
  expect(result.current.status).toBe('pending')

  setup.stack.upstream.use(fail('UNKNOWN_MEETING', { times: 1 }))
  rerender({ id: anyMeeting(setup, false) })
  await waitFor(() => expect(result.current.status).toBe('error'))
  await act(() => result.current.refetch())
  await waitFor(() => expect(result.current.status).toBe('success'))
})

describe('a meeting that a loaded list has', () => {
  const useBoth = ({ id }: { id?: string | undefined }) => ({
    list: useMeetings({ fields: ['title', 'duration'] }),
    meeting: useMeeting(id, { fields: ['title'] }),
    more: useMeeting(id, { fields: ['title', 'source'] }),
    whole: useMeeting(id),
  })

  it('begins with that row, in the requested fields, and only if the row has all of them', async () => {
    await using setup = await setupVoice()
    const { result, rerender } = setup.render(useBoth, { initialProps: {} })
    await waitFor(() => expect(result.current.list.isSuccess).toBe(true))
    const [row] = result.current.list.meetings
    expect(result.current.meeting).toMatchObject({ status: 'pending', isPlaceholderData: false })
    rerender({ id: row?.id })
    const begun = result.current
    expect(begun.meeting).toMatchObject({ status: 'success', isPlaceholderData: true, isFetching: true })
    expect(begun.meeting.meeting).toEqual({ id: row?.id, title: row?.title })
    expect(begun.meeting.dataUpdatedAt).toBe(0)
    for (const { status, meeting, isPlaceholderData } of [begun.more, begun.whole])
      expect([status, meeting, isPlaceholderData]).toEqual(['pending', undefined, false])
    await waitFor(() => expect(result.current.meeting.isPlaceholderData).toBe(false))
    expect(setup.asked).toContain(`/meetings/${row?.id}?fields=title`)
    expect(result.current.meeting.dataUpdatedAt).toBeGreaterThan(0)
  })

  it('begins with no row of another user', async () => {
    await using setup = await setupVoice()
    const { result, rerender } = setup.render(useBoth, { initialProps: {} })
    await waitFor(() => expect(result.current.list.isSuccess).toBe(true))
    // The list as another user has left it in the cache.
    const [own] = setup.queryClient.getQueryCache().findAll({ queryKey: ['stagepass'], type: 'active' })
    const pages = [{ meetings: [{ id: 'm-of-eve', title: 'Secret' }], next_cursor: null }]
    const ofEve = {
      ...(own?.queryKey[1] as object),
      identity: { user: 'eve', generation: 0 },
      meetings: { fields: 'title' },
    }
    setup.queryClient.setQueryData(['stagepass', ofEve], { pages, pageParams: [null] })
    rerender({ id: 'm-of-eve' })
    expect(result.current.meeting).toMatchObject({ status: 'pending', meeting: undefined })
  })

  it('is an error without the row if it cannot be loaded', async () => {
    await using setup = await setupVoice()
    const { result, rerender } = setup.render(useBoth, { initialProps: {} })
    await waitFor(() => expect(result.current.list.isSuccess).toBe(true))
    setup.stack.upstream.use(fail('UNKNOWN_MEETING'))
    rerender({ id: result.current.list.meetings[0]?.id })
    await waitFor(() => expect(result.current.meeting.status).toBe('error'))
    expect(result.current.meeting).toMatchObject({ meeting: undefined, isPlaceholderData: false })
  })
})
