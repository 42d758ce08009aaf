import { createSyncStoragePersister } from '@tanstack/query-sync-storage-persister'
import { QueryClient, QueryClientProvider, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import {
  type PersistedClient,
  persistQueryClient,
  PersistQueryClientProvider,
} from '@tanstack/react-query-persist-client'
import { startStack } from '@stagepass/testing'
import { act, cleanup, render, waitFor } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createVoiceClient } from './createVoiceClient.js'
import { meetingsOptions } from '../meetings/meetingsOptions.js'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings, type UseMeetingsResult } from '../meetings/useMeetings.js'
import { useTags } from '../meetings/useTags.js'
import { sessionTokenOptions } from '../token/sessionTokenOptions.js'
import { type UseUsageResult, useUsage } from '../usage/useUsage.js'
import { useVoiceClient } from './useVoiceClient.js'
import { VoiceProvider } from './VoiceProvider.js'
import { pageOf } from './pageOf.test.kit.js'

/* The query cache on disk, by TanStack's own persister. A page is a query client and a voice client. */

const DISK = 'REACT_QUERY_OFFLINE_CACHE'
const HOUR_MS = 3_600_000

beforeEach(() => localStorage.clear())
afterEach(cleanup)

interface Row {
  readonly id: string
  readonly title: string | null
}

type List = UseMeetingsResult<Row>

/** How an application restores its cache. */
type Way = 'PersistQueryClientProvider' | 'persistQueryClient'
const WAYS: readonly [Way, Way] = ['PersistQueryClientProvider', 'persistQueryClient']

const onDisk = (): string => localStorage.getItem(DISK) ?? ''

/** Lets everything on disk be older, as if the page before had been closed then. */
function age(ms: number): void {
  const stored = JSON.parse(onDisk()) as PersistedClient
  for (const { state } of stored.clientState.queries)
    Object.assign(state, { dataUpdatedAt: state.dataUpdatedAt - ms })
  localStorage.setItem(DISK, JSON.stringify({ ...stored, timestamp: stored.timestamp - ms }))
}

async function setUp() {
  const stack = await startStack()
  const credential = stack.upstream.meetingsCredential
  const asked: string[] = []
  stack.intercept((req, _res, next) => {
    asked.push(`${req.url}${req.get('cache-control') === 'no-cache' ? ' (refresh)' : ''}`)
    next()
  })

  /** Opens a page. `use` is called in each of its renders. */
  async function openPage<TResult>(use: () => TResult, { user = 'ada', way = WAYS[0] } = {}) {
    stack.grant = { user, meetings: { credential }, usage: { minutesPerDay: 20 } }
    const queryClient = new QueryClient({ defaultOptions: { queries: { gcTime: 24 * HOUR_MS } } })
    const voice = createVoiceClient({ url: stack.url })
    const persister = createSyncStoragePersister({ storage: localStorage, throttleTime: 0 })
    const renders: TResult[] = []
    const onRender = (result: TResult): void => void renders.push(result)
    function Page(): ReactNode {
      onRender(use())
      return null
    }
    const inside = (
      <VoiceProvider client={voice} user={user}>
        <Page />
      </VoiceProvider>
    )
    const [stop, restored] =
      way === 'persistQueryClient' ? persistQueryClient({ queryClient, persister }) : [() => {}]
    await restored
    const { unmount } = render(
      <StrictMode>
        {way === 'persistQueryClient' ? (
          <QueryClientProvider client={queryClient}>{inside}</QueryClientProvider>
        ) : (
          <PersistQueryClientProvider client={queryClient} persistOptions={{ persister }}>
            {inside}
          </PersistQueryClientProvider>
        )}
      </StrictMode>,
    )
    return {
      renders,
      queryClient,
      last: () => renders.at(-1) as TResult,
      close() {
        stop()
        unmount()
      },
    }
  }
  return { stack, asked, openPage, [Symbol.asyncDispose]: () => stack.close() }
}

const useList = (): List => useMeetings({ fields: ['title'] })
const idsOf = ({ meetings }: List): string[] => meetings.map(({ id }) => id)

/** A page of a user who loads two pages of the list, and leaves. Returns the ids. */
async function visit({ openPage }: Awaited<ReturnType<typeof setUp>>, options = {}): Promise<string[]> {
  const page = await openPage(useList, options)
  await waitFor(() => expect(page.last().hasNextPage).toBe(true))
  await act(() => page.last().fetchNextPage())
  await waitFor(() => expect(page.last().meetings).toHaveLength(40))
  const ids = idsOf(page.last())
  await waitFor(() => expect(onDisk()).toContain(ids[39]))
  page.close()
  return ids
}

describe.each(WAYS)('a list that %s has restored', (way) => {
  it('is shown, and refreshed once by one request, which keeps its later pages', async () => {
    await using setup = await setUp()
    const ids = await visit(setup, { way })
    age(10 * HOUR_MS)
    setup.asked.length = 0
    const row = setup.stack.upstream.meetings.all().find(({ id }) => id === ids[0])
    setup.stack.upstream.meetings.add({ ...row, id: 'fresh', created_at: '2027-01-01T00:00:00.000Z' })

    const page = await setup.openPage(useList, { way })
    await waitFor(() => expect(idsOf(page.last())).toEqual(['fresh', ...ids]))
    const [first] = page.renders.filter(({ meetings }) => meetings.length > 0)
    expect(first && idsOf(first)).toEqual(ids)
    expect(setup.asked).toEqual(['/meetings?fields=title (refresh)'])
    await waitFor(() => expect(page.last().isRefreshing).toBe(false))
    page.close()
  })

  it('is loaded again, and not shown, if it is older than a day', async () => {
    await using setup = await setUp()
    const ids = await visit(setup, { way })
    age(25 * HOUR_MS)
    setup.asked.length = 0
    const page = await setup.openPage(useList, { way })
    await waitFor(() => expect(idsOf(page.last())).toEqual(ids.slice(0, 20)))
    expect(page.renders.map((list) => list.meetings.length).filter((length) => length > 20)).toEqual([])
    expect(setup.asked).toEqual(['/meetings?fields=title'])
    page.close()
  })

  it('S35 leaves the disk when another user has come', async () => {
    await using setup = await setUp()
    const [id] = await visit(setup, { way, user: 'ada' })
    expect(onDisk()).toContain(id)
    const page = await setup.openPage(() => null, { way, user: 'ben' })
    await waitFor(() => expect(onDisk()).not.toContain(id))
    expect(page.queryClient.getQueryCache().findAll({ queryKey: ['stagepass'] })).toEqual([])
    page.close()
  })
})

it('refreshes a restored list once, however many components show it and whenever they come', async () => {
  await using setup = await setUp()
  await visit(setup)
  age(HOUR_MS)
  setup.asked.length = 0
  const page = await setup.openPage(() => [useList(), useList()] as const)
  await waitFor(() => expect(page.renders.some(([list]) => list.isRefreshing)).toBe(true))
  await waitFor(() => expect(page.last()[0].isRefreshing).toBe(false))
  page.close()
  const { queryClient } = page
  expect(setup.asked).toHaveLength(1)
  // Back from another view of the same page.
  const voice = createVoiceClient({ url: setup.stack.url })
  let list: List | undefined
  const onRender = (next: List): void => void (list = next)
  function View(): ReactNode {
    onRender(useList())
    return null
  }
  render(<View />, { wrapper: pageOf(voice, queryClient, 'ada') })
  expect(list?.meetings).toHaveLength(40)
  await setup.stack.fetch('/tags')
  expect(setup.asked).toEqual(['/meetings?fields=title (refresh)', '/tags'])
})

it('requests a list of the disk again for the options too, with a call for each page', async () => {
  await using setup = await setUp()
  await visit(setup)
  age(HOUR_MS)
  setup.asked.length = 0
  const page = await setup.openPage(() =>
    useInfiniteQuery(meetingsOptions(useVoiceClient(), { fields: ['title'] })),
  )
  await waitFor(() => expect(setup.asked).toHaveLength(2))
  await waitFor(() => expect(page.last().isFetching).toBe(false))
  expect(page.last().data?.pages).toHaveLength(2)
  page.close()
})

it('requests no list again that a server has loaded for this page, by a clock that is five seconds late', async () => {
  await using setup = await setUp()
  setup.stack.grant = { user: 'ada', meetings: { credential: setup.stack.upstream.meetingsCredential } }
  const voice = createVoiceClient({ url: setup.stack.url })
  const queryClient = new QueryClient()
  queryClient.setQueryData(
    meetingsOptions(voice, { fields: ['title'] }).queryKey,
    { pages: [{ meetings: [{ id: 'a', title: 'A' }], next_cursor: null }], pageParams: [null] },
    { updatedAt: Date.now() - performance.now() - 5_000 },
  )
  let ids: string[] = []
  const onRender = (list: List): void => void (ids = idsOf(list))
  function View(): ReactNode {
    onRender(useList())
    return null
  }
  render(<View />, { wrapper: pageOf(voice, queryClient) })
  expect(ids).toEqual(['a'])
  // A request of the list would be on the way before this one.
  await setup.stack.fetch('/tags')
  expect(setup.asked).toEqual(['/tags'])
})

it('requests a meeting, the tags and the minutes of the disk again', async () => {
  await using setup = await setUp()
  const [id] = await visit(setup)
  const useAll = () => ({
    meeting: useMeeting(id, { fields: ['title'] }),
    tags: useTags(),
    usage: useUsage('stt') satisfies UseUsageResult,
  })
  const paths = [`/meetings/${id}?fields=title`, '/tags', '/usage']
  const before = await setup.openPage(useAll)
  await waitFor(() => expect(onDisk()).toMatch(/used_ms/))
  await waitFor(() => expect(setup.asked).toEqual(expect.arrayContaining(paths)))
  await waitFor(() => expect(before.queryClient.isFetching()).toBe(0))
  before.close()
  age(HOUR_MS)
  setup.asked.length = 0
  const page = await setup.openPage(useAll)
  await waitFor(() => expect(setup.asked.toSorted()).toEqual(paths))
  page.close()
})

it('keeps no token on disk, and gets a new one', async () => {
  await using setup = await setUp()
  const useToken = () => useQuery(sessionTokenOptions(useVoiceClient(), 'stt'))
  const before = await setup.openPage(useToken)
  await waitFor(() => expect(before.last().data?.token).toBeDefined())
  const secret = before.last().data?.token?.value ?? ''
  expect(secret).not.toBe('')
  await waitFor(() => expect(onDisk()).toContain('sessionToken'))
  expect(onDisk()).not.toContain(secret)
  before.close()
  const page = await setup.openPage(useToken)
  await waitFor(() => expect(page.last().data?.token?.value).toBeTruthy())
  expect(page.last().data?.token?.value).not.toBe(secret)
  page.close()
})
