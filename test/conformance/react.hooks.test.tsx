import { fail, type Emulator } from '@stagepass/emulator'
import { TOKEN_ERRORS } from '@stagepass/contract'
import {
  createVoiceClient,
  isVoiceError,
  useMeeting,
  useMeetings,
  useSessionToken,
  useStream,
  useTags,
  type VoiceClient,
  VoiceError,
  type VoiceEvent,
  VoiceProvider,
} from '@stagepass/react'
import { type Stack, type StackOptions, startStack } from '@stagepass/testing'
import { dehydrate, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, renderHook, waitFor } from '@testing-library/react'
import { createElement as h, type ReactNode, StrictMode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'

afterEach(cleanup)

interface Page extends AsyncDisposable {
  readonly stack: Stack
  readonly upstream: Emulator
  readonly voice: VoiceClient
  readonly queryClient: QueryClient
  readonly events: VoiceEvent[]
  readonly wrapper: (props: { children: ReactNode }) => ReactNode
}

async function openPage(options: StackOptions = {}): Promise<Page> {
  const stack = await startStack({ ...options, emulator: { echo: true, ...options.emulator } })
  const events: VoiceEvent[] = []
  const voice = createVoiceClient({ url: stack.url, onEvent: (event) => void events.push(event) })
  const queryClient = new QueryClient()
  return {
    stack,
    upstream: stack.upstream,
    voice,
    queryClient,
    events,
    wrapper: ({ children }) =>
      h(
        StrictMode,
        null,
        h(QueryClientProvider, { client: queryClient }, h(VoiceProvider, { client: voice }, children)),
      ),
    async [Symbol.asyncDispose]() {
      cleanup()
      queryClient.clear()
      voice.clear()
      await stack.close()
    },
  }
}

describe('useSessionToken', () => {
  it('gives token, expiresAt, status, error and renew', async () => {
    await using page = await openPage()
    const { result } = renderHook(() => useSessionToken('stt', { ttlMinutes: 30, enabled: true }), {
      wrapper: page.wrapper,
    })
    expect(result.current).toMatchObject({ status: 'pending', error: null })
    await waitFor(() => expect(result.current.status).toBe('success'))
    const { token, expiresAt } = result.current
    expect(token?.value).toBe(page.upstream.tokens.all()[0]?.sessionKey)
    expect(expiresAt).toBeInstanceOf(Date)
    expect(page.upstream.requests[0]?.body).toMatchObject({ usage_type: 'stt', expiration_ttl: 30 })
  })

  it('asks for nothing while enabled is false', async () => {
    await using page = await openPage()
    const { result } = renderHook(() => useSessionToken('stt', { enabled: false }), { wrapper: page.wrapper })
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
    expect(result.current.status).toBe('pending')
    expect(page.upstream.counts.token).toBe(0)
  })

  it('costs one request for ten components under StrictMode', async () => {
    await using page = await openPage()
    const Show = () => h('i', null, useSessionToken('tts').status)
    const view = render(
      h(
        'div',
        null,
        Array.from({ length: 10 }, (_, key) => h(Show, { key })),
      ),
      {
        wrapper: page.wrapper,
      },
    )
    await waitFor(() => expect(view.container.textContent).toBe('success'.repeat(10)))
    expect(page.upstream.counts.token).toBe(1)
  })

  it('renew() brings another token', async () => {
    await using page = await openPage()
    const { result } = renderHook(() => useSessionToken('stt'), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.status).toBe('success'))
    const first = result.current.token?.value
    await act(() => result.current.renew())
    await waitFor(() => expect(result.current.token?.value).not.toBe(first), { timeout: 7_000 })
  }, 10_000)

  it('keeps the token out of state dumps, events, JSON and the query cache', async () => {
    await using page = await openPage()
    const { result } = renderHook(() => useSessionToken('stt'), { wrapper: page.wrapper })
    await page.queryClient.fetchQuery(page.voice.sessionTokenOptions('stt'))
    await waitFor(() => expect(result.current.status).toBe('success'))
    const secret = page.upstream.tokens.all()[0]?.sessionKey ?? 'none'
    const cache = page.queryClient.getQueryCache().getAll()
    for (const text of [
      JSON.stringify(result.current),
      JSON.stringify(result.current.token),
      String(result.current.token),
      JSON.stringify(dehydrate(page.queryClient, { shouldDehydrateQuery: () => true })),
      JSON.stringify(cache.map(({ state, queryKey }) => ({ state, queryKey }))),
      JSON.stringify(page.events),
      document.documentElement.outerHTML,
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    ])
      expect(text).not.toContain(secret)
    expect(result.current.token?.value).toBe(secret)
  })

  for (const [code, { retryable }] of Object.entries(TOKEN_ERRORS)) {
    it(`returns ${code} as a VoiceError with reqId, and does not throw`, async () => {
      await using page = await openPage()
      page.upstream.use(fail(code as keyof typeof TOKEN_ERRORS))
      const { result } = renderHook(() => useSessionToken('stt'), { wrapper: page.wrapper })
      await waitFor(() => expect(result.current.error).not.toBe(null), { timeout: 4_000 })
      const { error } = result.current
      expect(error).toBeInstanceOf(VoiceError)
      expect(error).toMatchObject({ code, retryable })
      expect(error?.reqId).toEqual(expect.any(String))
      expect(error?.requestId).toEqual(expect.any(String))
      expect(isVoiceError(error)).toBe(true)
      expect(result.current.token).toBeFalsy()
    })
  }

  it('does not ask again after a final code', async () => {
    await using page = await openPage()
    page.upstream.use(fail('PAYMENT_PAST_DUE'))
    const { result } = renderHook(() => useSessionToken('stt'), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.status).toBe('error'))
    await act(() => new Promise((resolve) => setTimeout(resolve, 1_500)))
    expect(page.upstream.counts.token).toBe(1)
  })
})

describe('useMeetings', () => {
  it('gives meetings, hasNextPage, fetchNextPage, status, error and refreshHead', async () => {
    await using page = await openPage()
    const { result } = renderHook(
      () =>
        useMeetings({
          ownership: 'mine',
          sortBy: 'duration',
          order: 'newest',
          fields: ['title', 'participants'],
          pageSize: 5,
        }),
      { wrapper: page.wrapper },
    )
    expect(result.current).toMatchObject({ meetings: [], status: 'pending', error: null })
    await waitFor(() => expect(result.current.status).toBe('success'))
    expect(result.current.meetings).toHaveLength(5)
    for (const meeting of result.current.meetings)
      expect(Object.keys(meeting).toSorted()).toEqual(['id', 'participants', 'title'])
    expect(result.current.hasNextPage).toBe(true)
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.meetings).toHaveLength(10))
    expect(new Set(result.current.meetings.map(({ id }) => id)).size).toBe(10)
    expect(page.upstream.requests.at(-1)?.query).toMatchObject({
      ownership: 'mine',
      sort_by: 'duration',
      limit: '5',
    })
    const before = page.upstream.counts.list
    await act(() => result.current.refreshHead())
    expect(page.upstream.counts.list).toBe(before + 1)
    expect(result.current.meetings).toHaveLength(10)
  })

  it('takes Date bounds, tags and search', async () => {
    await using page = await openPage()
    const { result } = renderHook(
      () =>
        useMeetings({
          search: 'roadmap',
          from: new Date('2020-01-01T00:00:00Z'),
          to: '2030-01-01T00:00:00Z',
          tags: ['a', 'b'],
        }),
      { wrapper: page.wrapper },
    )
    await waitFor(() => expect(result.current.status).toBe('success'))
    const { query } = page.upstream.requests.at(-1) ?? {}
    expect(query).toMatchObject({ q: 'roadmap', tags: 'a,b' })
    expect(Date.parse(String(query?.from))).toBe(Date.parse('2020-01-01T00:00:00Z'))
  })

  it('shows no meeting twice when the list shifts between pages', async () => {
    await using page = await openPage()
    const { result } = renderHook(() => useMeetings({ pageSize: 10, fields: ['title'] }), {
      wrapper: page.wrapper,
    })
    await waitFor(() => expect(result.current.meetings).toHaveLength(10))
    const model = page.upstream.meetings.get(result.current.meetings[0]?.id ?? '')
    page.upstream.meetings.add({
      ...(model as NonNullable<typeof model>),
      id: 'brand-new',
      visibility: 'owned',
      processing: false,
      created_at: new Date(Date.now() + 86_400_000).toISOString(),
    })
    await act(() => result.current.fetchNextPage())
    await waitFor(() => expect(result.current.meetings.length).toBeGreaterThan(15))
    const ids = result.current.meetings.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    await act(() => result.current.refreshHead())
    await waitFor(() => expect(result.current.meetings[0]?.id).toBe('brand-new'))
    const after = result.current.meetings.map(({ id }) => id)
    expect(new Set(after).size).toBe(after.length)
  })

  it('keeps the old list on screen until the new one is there', async () => {
    await using page = await openPage()
    const { result, rerender } = renderHook(
      ({ ownership }: { ownership: 'mine' | 'shared' }) => useMeetings({ ownership, pageSize: 5 }),
      { wrapper: page.wrapper, initialProps: { ownership: 'mine' } },
    )
    await waitFor(() => expect(result.current.meetings).toHaveLength(5))
    const old = result.current.meetings
    rerender({ ownership: 'shared' })
    expect(result.current.meetings).toEqual(old)
    await waitFor(() => expect(result.current.meetings[0]?.ownership).toBe('shared'))
  })

  it('returns the error of a refused credential', async () => {
    await using page = await openPage()
    page.stack.grant = { user: 'ada', meetings: { credential: 'unknown' } }
    const { result } = renderHook(() => useMeetings(), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.status).toBe('error'))
    expect(result.current.error).toMatchObject({
      code: 'MEETINGS_CREDENTIAL_REJECTED',
      retryable: false,
      status: 502,
    })
    expect(result.current.meetings).toEqual([])
  })
})

describe('useMeeting and useTags', () => {
  it('give a meeting with the fields asked for, and the tags', async () => {
    await using page = await openPage()
    const id =
      page.upstream.meetings.all().find((row) => !row.processing && row.visibility === 'owned')?.id ?? ''
    const { result } = renderHook(() => ({ one: useMeeting(id, { fields: ['title'] }), tags: useTags() }), {
      wrapper: page.wrapper,
    })
    await waitFor(() =>
      expect([result.current.one.status, result.current.tags.status]).toEqual(['success', 'success']),
    )
    expect(Object.keys(result.current.one.meeting ?? {}).toSorted()).toEqual(['id', 'title'])
    expect(result.current.tags.tags?.length).toBeGreaterThan(0)
  })
  it('tell a meeting that is still processed, and one that is not there', async () => {
    await using page = await openPage()
    const busy = page.upstream.meetings.all().find((row) => row.processing)?.id ?? ''
    const { result } = renderHook(() => ({ busy: useMeeting(busy), gone: useMeeting('nothing') }), {
      wrapper: page.wrapper,
    })
    await waitFor(() => expect(result.current.busy.error?.code).toBe('MEETING_PROCESSING'))
    expect(result.current.busy.error).toMatchObject({ status: 409, retryable: true })
    await waitFor(() =>
      expect(result.current.gone.error).toMatchObject({ code: 'NOT_FOUND', retryable: false }),
    )
  })
})

describe('option factories', () => {
  it('work with fetchQuery and prefetchInfiniteQuery', async () => {
    await using page = await openPage()
    const { queryClient, voice } = page
    await queryClient.prefetchInfiniteQuery(voice.meetingsOptions({ fields: ['title'] }))
    const { result } = renderHook(() => useMeetings({ fields: ['title'] }), { wrapper: page.wrapper })
    expect(result.current.status).toBe('success')
    expect(page.upstream.counts.list).toBe(1)
    const tags = await queryClient.fetchQuery(voice.tagsOptions())
    expect(tags).toBeDefined()
    const id = result.current.meetings[0]?.id ?? ''
    expect(await queryClient.fetchQuery(voice.meetingOptions(id))).toMatchObject({ id })
  })
})

describe('useStream', () => {
  it('goes from connecting to open, sends, hears binary as ArrayBuffer, and closes', async () => {
    await using page = await openPage()
    const heard: unknown[] = []
    const { result } = renderHook(() => useStream('stt', { onMessage: (data) => void heard.push(data) }), {
      wrapper: page.wrapper,
    })
    expect(['idle', 'connecting']).toContain(result.current.status)
    await waitFor(() => expect(result.current.status).toBe('open'))
    act(() => {
      result.current.send('hello')
      result.current.send(new Uint8Array([1, 2, 3]).buffer)
    })
    await waitFor(() => expect(heard).toHaveLength(2))
    expect(heard[0]).toBe('hello')
    expect(Object.prototype.toString.call(heard[1])).toBe('[object ArrayBuffer]')
    act(() => result.current.close())
    await waitFor(() => expect(result.current.status).toBe('closed'))
    await waitFor(() => expect(page.upstream.sockets).toHaveLength(0))
    act(() => result.current.open())
    await waitFor(() => expect(result.current.status).toBe('open'))
  })

  it('stays idle while it is not enabled', async () => {
    await using page = await openPage()
    const { result } = renderHook(() => useStream('stt', { enabled: false }), { wrapper: page.wrapper })
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
    expect(result.current.status).toBe('idle')
    expect(page.upstream.requests).toHaveLength(0)
  })

  it('opens the socket with the token in the query, the space as %20', async () => {
    await using page = await openPage()
    const { upstream } = page
    const { result } = renderHook(() => useStream('viva'), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.status).toBe('open'))
    const handshake = upstream.requests.find(({ path }) => path === '/voice-isolation')
    expect(handshake?.query).toEqual({ authorization: `api-key ${upstream.tokens.all()[0]?.sessionKey}` })
  })

  it('opens one socket for ten components under StrictMode, on one token', async () => {
    await using page = await openPage()
    const Show = () => h('i', null, useStream('tts').status)
    const view = render(
      h(
        'div',
        null,
        Array.from({ length: 10 }, (_, key) => h(Show, { key })),
      ),
      {
        wrapper: page.wrapper,
      },
    )
    await waitFor(() => expect(view.container.textContent).toBe('open'.repeat(10)))
    expect(page.upstream.counts).toMatchObject({ token: 1, handshake: 1 })
    view.unmount()
    await waitFor(() => expect(page.upstream.sockets).toHaveLength(0))
  })

  it('reconnects with a live token when the connection is lost', async () => {
    await using page = await openPage()
    const statuses: string[] = []
    const { result } = renderHook(
      () => {
        const stream = useStream('stt')
        if (statuses.at(-1) !== stream.status) statuses.push(stream.status)
        return stream
      },
      { wrapper: page.wrapper },
    )
    await waitFor(() => expect(result.current.status).toBe('open'))
    statuses.length = 0
    act(() => page.upstream.sockets[0]?.drop())
    await waitFor(() => expect(statuses).toEqual(['reconnecting', 'open']), { timeout: 4_000 })
    expect(page.upstream.counts.handshake).toBe(2)
  })

  it('fails with the code after a permanent refusal, in at most three handshakes of its own', async () => {
    await using page = await openPage()
    page.upstream.use(fail('unauthorized'))
    const { result } = renderHook(() => useStream('stt'), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.status).toBe('failed'), { timeout: 8_000 })
    expect(result.current.error).toMatchObject({ code: 'unauthorized' })
    const own = page.upstream.requests.filter(({ query }) => 'authorization' in query)
    expect(own.length).toBeLessThanOrEqual(3)
  }, 12_000)

  it('tells concurrency_limit_exceeded as retryable', async () => {
    await using page = await openPage()
    page.upstream.use(fail('concurrency_limit_exceeded'))
    const { result } = renderHook(() => useStream('stt'), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.error?.code).toBe('concurrency_limit_exceeded'), {
      timeout: 8_000,
    })
    expect(result.current.error?.retryable).toBe(true)
  }, 12_000)

  it('fails with the final code of a token that is not to be had', async () => {
    await using page = await openPage()
    page.upstream.use(fail('PRODUCT_NOT_ALLOWED'))
    const { result } = renderHook(() => useStream('stt'), { wrapper: page.wrapper })
    await waitFor(() => expect(result.current.status).toBe('failed'))
    expect(result.current.error).toMatchObject({ code: 'PRODUCT_NOT_ALLOWED', retryable: false })
    expect(page.upstream.counts.handshake).toBe(0)
  })
})

it('refuses a token of another kind or product', async () => {
  await using page = await openPage()
  page.stack.intercept((req, res, next) => {
    if (!req.url.startsWith('/session-token')) return next()
    res.json({
      session_key: 'x',
      usage_type: 'tts',
      type: 'session',
      status: 'LICENSE_VALID',
      expires_at: new Date(Date.now() + 600_000).toISOString(),
      expires_in_ms: 600_000,
      stream_url: 'ws://127.0.0.1:1/tts',
    })
  })
  const { result } = renderHook(() => useSessionToken('stt'), { wrapper: page.wrapper })
  await waitFor(() => expect(result.current.status).toBe('error'))
  expect(result.current.error).toMatchObject({ code: 'TOKEN_MISMATCH', retryable: false })
  expect(result.current.token).toBeFalsy()
})
