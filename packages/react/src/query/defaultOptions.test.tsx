import { readFileSync } from 'node:fs'
import type { DefaultOptions, QueryPersister } from '@tanstack/react-query'
import { act, waitFor } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { useTags } from '../meetings/useTags.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useUsage } from '../usage/useUsage.js'

type Defaults = NonNullable<DefaultOptions['queries']>

/** An option whose name begins like this is internal to TanStack Query. */
type Internal = `_${string}` | 'behavior'

/**
 * Each default option that an application can set. If TanStack Query gets a new one, this does not compile:
 * decide what it does to the queries of this package (`queryDefaults`), and add a row here and in the README.
 * `ours`: it has no effect on them. `yours`: it has its effect.
 */
const OPTIONS = {
  enabled: 'ours',
  gcTime: 'yours',
  initialData: 'yours',
  initialDataUpdatedAt: 'yours',
  maxPages: 'ours',
  meta: 'yours',
  networkMode: 'yours',
  notifyOnChangeProps: 'ours',
  persister: 'ours',
  placeholderData: 'ours',
  queryFn: 'ours',
  queryHash: 'yours',
  queryKeyHashFn: 'yours',
  refetchInterval: 'ours',
  refetchIntervalInBackground: 'ours',
  refetchOnMount: 'yours',
  refetchOnReconnect: 'ours',
  refetchOnWindowFocus: 'ours',
  retry: 'ours',
  retryDelay: 'ours',
  retryOnMount: 'yours',
  select: 'ours',
  staleTime: 'ours',
  structuralSharing: 'yours',
  throwOnError: 'ours',
} as const satisfies Record<Exclude<keyof Defaults, Internal>, 'ours' | 'yours'>

it('the README has each default option in a row with its effect', () => {
  const readme = readFileSync('packages/react/README.md', 'utf8')
  const section = readme.split('### Default options of an application\n')[1]?.split('\n#')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  const namesOf = (row: string): string[] =>
    [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map((found) => `${found[1]}`)
  expect(rows.flatMap(namesOf).toSorted()).toEqual(Object.keys(OPTIONS))
  for (const row of rows) {
    const effects = namesOf(row).map((name) => OPTIONS[name as keyof typeof OPTIONS])
    expect([row, ...new Set(effects)]).toEqual([row, row.includes('| none |') ? 'ours' : 'yours'])
  }
})

/** Values that would break the hooks if they had an effect. */
const WRONG: { readonly [TName in keyof typeof OPTIONS]?: Defaults[TName] } = {
  enabled: false,
  maxPages: 1,
  notifyOnChangeProps: [],
  persister: (() => null) satisfies QueryPersister,
  placeholderData: 'another',
  queryFn: () => 'another',
  refetchInterval: 1,
  refetchIntervalInBackground: true,
  refetchOnReconnect: 'always',
  refetchOnWindowFocus: 'always',
  retry: false,
  retryDelay: 1e9,
  select: () => 'another',
  staleTime: 0,
  throwOnError: true,
}

it('each that has no effect has a value in this test', () => {
  const ours = Object.entries(OPTIONS).filter(([, effect]) => effect === 'ours')
  expect(ours.map(([name]) => name)).toEqual(Object.keys(WRONG))
})

const useEverything = (id: string) => ({
  list: useMeetings({ pageSize: 5, fields: ['title'] }),
  meeting: useMeeting(id, { fields: ['title'] }),
  tags: useTags(),
  usage: useUsage('stt'),
})

describe('a default option of the application does not change the hooks:', () => {
  it.each(Object.entries(WRONG))('%s', async (name, value) => {
    await using page = await setupVoice()
    page.queryClient.setDefaultOptions({ queries: { [name]: value } })
    const [{ id } = { id: '' }] = page.stack.upstream.meetings.all().filter(({ processing }) => !processing)
    let refusals = 0
    // One retry of each request, so that the options of retries count.
    page.stack.intercept((req, res, next) => {
      if (!req.url.startsWith('/tags') || refusals++ > 0) return next()
      res
        .status(503)
        .json({ error_code: 'BUDGET_EXHAUSTED', retryable: true, retry_after_ms: 5, request_id: 'r' })
    })
    const { result } = page.render(() => useEverything(id))
    await waitFor(() => {
      const { list, meeting, tags, usage } = result.current
      expect([list, meeting, tags, usage].map(({ status }) => status)).toEqual(Array(4).fill('success'))
    })
    expect(result.current.list.meetings).toHaveLength(5)
    expect(result.current.meeting.meeting).toMatchObject({ id })
    expect(result.current.tags.tags.length).toBeGreaterThan(0)
    expect(result.current.usage.error).toBeNull()

    await act(() => result.current.list.fetchNextPage())
    await waitFor(() => expect(result.current.list.meetings).toHaveLength(10))
    expect(result.current.list.isFetchingNextPage).toBe(false)
    const before = page.asked.length
    act(() => void window.dispatchEvent(new Event('focus')))
    act(() => void window.dispatchEvent(new Event('offline')))
    act(() => void window.dispatchEvent(new Event('online')))
    await act(() => result.current.list.refresh())
    expect(page.asked.slice(before)).toEqual(['/meetings?limit=5&fields=title'])
  })
})
