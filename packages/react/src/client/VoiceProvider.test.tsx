import {
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query'
import { act, cleanup, render, waitFor } from '@testing-library/react'
import {
  Component,
  type ReactNode,
  StrictMode,
  Suspense,
  startTransition,
  useLayoutEffect,
  useState,
} from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clientOf, createVoiceClient, type VoiceClient } from './createVoiceClient.js'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings, type UseMeetingsResult } from '../meetings/useMeetings.js'
import { useTags } from '../meetings/useTags.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import { useStream, type UseStreamResult } from '../stream/useStream.js'
import { useStreamValue } from '../stream/useStreamValue.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { setupVoice, type VoiceSetup } from '../testing/setupVoice.test.kit.js'
import { sourceOf } from '../token/sourceOf.test.kit.js'
import { useSessionToken } from '../token/useSessionToken.js'
import { useVoiceClient } from './useVoiceClient.js'
import { VoiceProvider } from './VoiceProvider.js'
import { meetingsOptions } from '../meetings/meetingsOptions.js'
import { tagsOptions } from '../meetings/tagsOptions.js'

afterEach(cleanup)

type User = string | null | undefined

/**
 * A BFF whose login session belongs to `session.user`. Its rows, tags and meetings are named after the user
 * of the request.
 */
async function setupUsers(queryClient = new QueryClient()) {
  const session = { user: 'ada' as string | null }
  const setup = await setupVoice({
    bff: { authorize: () => (session.user === null ? null : { user: session.user }) },
  })
  const held: (() => void)[] = []
  const asked: string[] = []
  const hold = { lists: false, heads: false }
  setup.stack.intercept((req, res, next) => {
    asked.push(req.url)
    const user = decodeURIComponent(req.get('x-stagepass-user') ?? '')
    const mine = session.user === user || req.get('x-stagepass-user') === undefined
    if (!mine || !/^\/(meetings|tags)/.test(req.url)) return next()
    const row = (id: string) => ({ id: `${user} ${id}`, title: `${user} ${id}` })
    const respond = (): void => {
      if (req.url === '/tags') res.json({ tags: [`${user} tag`] })
      else if (req.url.startsWith('/meetings/')) res.json(row('one'))
      else res.json({ meetings: [row('1'), row('2')], next_cursor: `${user} cursor` })
    }
    const isHead = req.get('cache-control') === 'no-cache'
    if (isHead ? hold.heads : hold.lists) held.push(respond)
    else respond()
  })
  return {
    ...setup,
    asked,
    queryClient,
    session,
    hold,
    held,
    release: () => held.splice(0).forEach((respond) => respond()),
    [Symbol.asyncDispose]: setup[Symbol.asyncDispose],
  }
}

interface Shown {
  readonly user: User
  readonly list: UseMeetingsResult<{ readonly id: string }>
}

/** A page of one component that reads everything. `crossings`: data of another user that a render showed. */
function openPage(setup: Pick<VoiceSetup, 'voice' | 'queryClient'>, firstUser: User, q = '') {
  const crossings: unknown[] = []
  let shown: Shown | undefined
  const onRender = (next: Shown): void => void (shown = next)

  function Everything({ user, search }: { user: User; search: string }): ReactNode {
    const list = useMeetings({ fields: ['title'], ...(search && { search }) })
    const { meeting } = useMeeting('one', { fields: ['title'] })
    const { tags } = useTags()
    const voice = useVoiceClient()
    const direct = useQuery(tagsOptions(voice)).data
    const all = [...list.meetings, meeting, ...tags, ...(direct ?? [])].filter((one) => one !== undefined)
    const foreign = all.filter((one) => !JSON.stringify(one).includes(`"${user} `))
    if (foreign.length > 0) crossings.push({ user, foreign })
    onRender({ user, list })
    return null
  }
  const tree = (user: User, search: string): ReactNode => (
    <StrictMode>
      <QueryClientProvider client={setup.queryClient}>
        <VoiceProvider client={setup.voice} user={user}>
          <Everything user={user} search={search} />
        </VoiceProvider>
      </QueryClientProvider>
    </StrictMode>
  )
  const page = render(tree(firstUser, q))
  return {
    ...page,
    crossings,
    get shown() {
      return shown as Shown
    },
    change: (user: User, search = '') => page.rerender(tree(user, search)),
    ids: () => shown?.list.meetings.map(({ id }) => id),
  }
}

describe('queries', () => {
  it('S35 shows no row, tag or placeholder of the previous user, not even for one render', async () => {
    // The application's defaults keep old data on the screen.
    const queryClient = new QueryClient({
      defaultOptions: { queries: { placeholderData: keepPreviousData } },
    })
    await using setup = await setupUsers(queryClient)
    const page = openPage(setup, 'ada')
    await waitFor(() => expect(page.ids()).toEqual(['ada 1', 'ada 2']))
    setup.session.user = 'ben'
    page.change('ben')
    expect(page.ids()).toEqual([])
    expect(page.shown.list).toMatchObject({ status: 'pending', isPlaceholderData: false, error: null })
    await waitFor(() => expect(page.ids()).toEqual(['ben 1', 'ben 2']))
    setup.session.user = 'ada'
    page.change('ada')
    await waitFor(() => expect(page.ids()).toEqual(['ada 1', 'ada 2']))
    expect(page.crossings).toEqual([])
    expect(setup.asked.filter((path) => path.startsWith('/meetings?'))).toHaveLength(3)
  })

  it('S35 keeps nothing of the previous user in the query cache, even if a list or a refresh is slow', async () => {
    await using setup = await setupUsers()
    const page = openPage(setup, 'ada')
    await waitFor(() => expect(page.ids()).toHaveLength(2))
    setup.hold.lists = setup.hold.heads = true
    const ends = [page.shown.list.refresh(), page.shown.list.fetchNextPage()]
    await waitFor(() => expect(setup.held).toHaveLength(2))
    setup.session.user = 'ben'
    setup.hold.lists = false
    page.change('ben')
    setup.release()
    await act(() => Promise.all(ends))
    await waitFor(() => expect(page.ids()).toEqual(['ben 1', 'ben 2']))
    const cached = JSON.stringify(
      setup.queryClient
        .getQueryCache()
        .getAll()
        .map(({ state }) => state),
    )
    expect(cached).not.toContain('ada')
    expect(page.crossings).toEqual([])
  })

  it('leaves no timer of a query after the end, which would keep a test runner from ending', async () => {
    await using setup = await setupUsers()
    const page = openPage(setup, 'ada')
    await waitFor(() => expect(page.ids()).toHaveLength(2))
    const started = vi.spyOn(globalThis, 'setTimeout')
    const cleared = vi.spyOn(globalThis, 'clearTimeout')
    page.change(null)
    page.unmount()
    setup.queryClient.clear()
    // TanStack Query removes an unused query after five minutes.
    const timers = started.mock.results.filter((_, index) => started.mock.calls[index]?.[1] === 300_000)
    const ends = cleared.mock.calls.map(([timer]) => timer)
    vi.restoreAllMocks()
    expect(timers.length).toBeGreaterThan(0)
    expect(timers.filter(({ value }) => !ends.includes(value as NodeJS.Timeout))).toEqual([])
  })

  it('S35 writes no refreshed first page into a cache that the application has cleared', async () => {
    await using setup = await setupUsers()
    const page = openPage(setup, undefined)
    await waitFor(() => expect(page.ids()).toHaveLength(2))
    setup.hold.lists = setup.hold.heads = true
    // The first page waits for the list, which is being loaded.
    const next = page.shown.list.fetchNextPage()
    await waitFor(() => expect(setup.held).toHaveLength(1))
    const refreshing = page.shown.list.refresh()
    await waitFor(() => expect(setup.held).toHaveLength(2))
    setup.held.splice(1, 1)[0]?.()
    await act(async () => {})
    setup.queryClient.clear()
    setup.release()
    await act(() => Promise.all([next, refreshing]))
    expect(setup.queryClient.getQueryCache().getAll()).toEqual([])
  })

  it('S35 requests no search that the previous user has typed', async () => {
    await using setup = await setupUsers()
    const page = openPage(setup, 'ada', 'plans of ada')
    await waitFor(() => expect(page.ids()).toHaveLength(2))
    setup.session.user = 'ben'
    const before = setup.asked.length
    page.change('ben', 'plans of ben')
    await waitFor(() => expect(page.ids()).toEqual(['ben 1', 'ben 2']))
    expect(setup.asked.slice(before).join(' ')).not.toContain('ada')
  })

  it('requests nothing while nobody is signed in', async () => {
    await using setup = await setupUsers()
    const page = openPage(setup, null)
    await act(async () => {})
    expect(page.shown.list).toMatchObject({ status: 'pending', meetings: [], isFetching: false })
    const { voice } = setup
    await expect(setup.queryClient.fetchQuery(tagsOptions(voice))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    })
    await expect(sourceOf(voice, 'stt').get()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    expect(sourceOf(voice, 'stt').state().status).toBe('pending')
    expect(setup.asked).toEqual([])
    page.change('ada')
    await waitFor(() => expect(page.ids()).toHaveLength(2))
    page.change(null)
    expect(page.ids()).toEqual([])
    expect(
      setup.queryClient
        .getQueryCache()
        .getAll()
        .some(({ state }) => state.data),
    ).toBe(false)
  })

  it('does the same for reset() as for a change of user', async () => {
    await using setup = await setupUsers()
    const page = openPage(setup, undefined)
    await waitFor(() => expect(page.ids()).toEqual([' 1', ' 2']))
    setup.hold.lists = true
    act(() => setup.voice.reset())
    expect(page.ids()).toEqual([])
    await waitFor(() => expect(setup.held.length).toBeGreaterThan(0))
    act(() => setup.release())
    setup.hold.lists = false
    await waitFor(() => expect(page.ids()).toEqual([' 1', ' 2']))
  })
})

describe('the header', () => {
  it('S38 names the user in each request, with any characters in the id', async () => {
    await using setup = await setupUsers()
    const user = '李雷 "ä"\n%41'
    setup.session.user = user
    setup.voice.setUser(user)
    await sourceOf(setup.voice, 'stt').get()
    await clientOf(setup.voice).request({ route: '/tags' })
    expect(setup.asked).toHaveLength(2)
    expect(() => setup.voice.setUser('')).toThrow(/Give null while no user is signed in/)
  })

  it('S38 ends everything at USER_CHANGED and reports it once', async () => {
    await using setup = await setupUsers()
    const onUserChanged = vi.fn<() => void>()
    let stream: UseStreamResult<SendData, ReceivedData> | undefined
    let token: string | undefined
    let list: UseMeetingsResult<{ readonly id: string }> | undefined
    const onRender = (next: typeof stream, state: string, meetings: typeof list): void => {
      stream = next
      token = state
      list = meetings
    }
    function Page(): ReactNode {
      const { status, error } = useSessionToken('stt')
      onRender(useStream('stt'), error?.code ?? status, useMeetings({ fields: ['title'] }))
      return null
    }
    const tree = (user: string) => (
      <QueryClientProvider client={setup.queryClient}>
        <VoiceProvider client={setup.voice} user={user} onUserChanged={onUserChanged}>
          <Page />
        </VoiceProvider>
      </QueryClientProvider>
    )
    const page = render(tree('ada'))
    await waitFor(() => expect(stream?.status).toBe('open'))
    await waitFor(() => expect(list?.meetings).toHaveLength(2))
    // Another tab has signed in as another user.
    setup.session.user = 'ben'
    await act(() =>
      sourceOf(setup.voice, 'stt')
        .renew()
        .catch(() => {}),
    )
    expect(stream).toMatchObject({ status: 'failed', error: { code: 'USER_CHANGED', retryable: false } })
    expect(token).toBe('USER_CHANGED')
    // The rows are no longer on the screen: another person may see it.
    await act(() => list?.refresh())
    await waitFor(() =>
      expect(list).toMatchObject({ status: 'error', error: { code: 'USER_CHANGED' }, meetings: [] }),
    )
    const asked = setup.asked.length
    await expect(clientOf(setup.voice).request({ route: '/tags' })).rejects.toMatchObject({
      code: 'USER_CHANGED',
    })
    act(() => stream?.open())
    expect(stream?.send('late')).toBe('dropped')
    expect(setup.asked).toHaveLength(asked)
    expect(onUserChanged).toHaveBeenCalledTimes(1)
    expect(setup.events.filter(({ type }) => type === 'client.user_changed')).toHaveLength(1)
    await waitFor(() => expect(setup.stack.upstream.sockets).toHaveLength(0))

    page.rerender(tree('ben'))
    await waitFor(() => expect(stream).toMatchObject({ status: 'open', error: null, failureReason: null }))
    expect(onUserChanged).toHaveBeenCalledTimes(1)
  })

  it('continues with the same user after USER_CHANGED if the application sets the user again', async () => {
    await using setup = await setupUsers()
    setup.voice.setUser('ada')
    setup.session.user = 'ben'
    await expect(sourceOf(setup.voice, 'stt').get()).rejects.toMatchObject({ code: 'USER_CHANGED' })
    setup.session.user = 'ada'
    await expect(sourceOf(setup.voice, 'stt').get()).rejects.toMatchObject({ code: 'USER_CHANGED' })
    setup.voice.setUser('ada')
    expect((await sourceOf(setup.voice, 'stt').get()).generation).toBe(1)
  })
})

describe('streams', () => {
  function openStreams() {
    const voice = createVirtualVoice()
    const seen: string[] = []
    let stream: UseStreamResult<SendData, ReceivedData> | undefined
    let value: readonly ReceivedData[] | undefined
    const onRender = (next: typeof stream, nextValue: typeof value): void => {
      stream = next
      value = nextValue
    }
    function Page({ user }: { user: User }): ReactNode {
      const own = useStream('stt', { onMessage: (data) => seen.push(`${user}: ${data as string}`) })
      onRender(
        own,
        useStreamValue(own, (data, all: readonly ReceivedData[] = []) => [...all, data]),
      )
      return null
    }
    const tree = (user: User) => (
      <StrictMode>
        <VoiceProvider client={voice.client} user={user}>
          <Page user={user} />
        </VoiceProvider>
      </StrictMode>
    )
    const page = render(tree('ada'))
    return {
      voice,
      seen,
      get stream() {
        return stream as UseStreamResult<SendData, ReceivedData>
      },
      get value() {
        return value
      },
      change: (user: User) => page.rerender(tree(user)),
      unmount: page.unmount,
    }
  }

  it('S35 starts for the next user with nothing: no queue, no message, no value, no error', async () => {
    const page = openStreams()
    await act(() => page.voice.advance(100))
    act(() => page.voice.service.connections[0]?.send('for ada'))
    await act(() => page.voice.advance(300))
    expect(page.value).toEqual(['for ada'])
    const before = page.stream
    act(() => page.voice.suspend('freeze'))
    expect(before.send('words of ada')).toBe('queued')
    page.change('ben')
    expect(page.value).toBeUndefined()
    expect(page.stream).toMatchObject({ error: null })
    expect(before.send('later words of ada')).toBe('dropped')
    act(() => page.voice.wake('resume'))
    await act(() => page.voice.advance(100))
    expect(page.stream.status).toBe('open')
    expect(page.stream.stats()).toMatchObject({ sent: 0, queued: 0, dropped: 0 })
    expect(page.voice.service.connections.map(({ received }) => received)).toEqual([[], []])
    expect(page.voice.events.filter(({ type }) => type === 'stream.dropped')).toMatchObject([
      { reason: 'ended', count: 1 },
    ])
    act(() => page.voice.service.connections[1]?.send('for ben'))
    await act(() => page.voice.advance(300))
    expect(page.seen).toEqual(['ada: for ada', 'ben: for ben'])
    expect(page.value).toEqual(['for ben'])
  })

  it('S35 forgets the final error of the previous user', async () => {
    const page = openStreams()
    page.voice.service.failToken('BALANCE_EXHAUSTED')
    await act(() => page.voice.advance(100))
    expect(page.stream.status).toBe('failed')
    page.change('ben')
    expect(page.stream.error).toBeNull()
    await act(() => page.voice.advance(100))
    expect(page.stream).toMatchObject({ status: 'open', error: null, failureReason: null })
  })

  it('is idle while nobody is signed in', async () => {
    const page = openStreams()
    await act(() => page.voice.advance(100))
    page.change(null)
    act(() => page.stream.open())
    await act(() => page.voice.advance(60_000))
    expect(page.stream).toMatchObject({ status: 'idle', error: null, failureReason: null })
    expect(page.stream.send('words of nobody')).toBe('dropped')
    expect(page.voice.service.tokensGranted).toBe(1)
    expect(page.voice.service.attempts.map(({ status }) => status)).toEqual(['closed'])
    page.unmount()
    await page.voice.advance(1_000)
    expect(page.voice.timers).toBe(0)
  })
})

describe('the provider', () => {
  class Boundary extends Component<{ children: ReactNode }, { message: string }> {
    override state = { message: '' }
    static getDerivedStateFromError = (error: Error) => ({ message: error.message })
    override render() {
      return this.state.message || this.props.children
    }
  }

  it('does not change the user in a render that does not commit', async () => {
    const { client: voice, events } = createVirtualVoice()
    let resume: () => void = () => {}
    let isReady = false
    const ready = new Promise<void>((resolve) => (resume = resolve))
    function Child({ user }: { user: string }): ReactNode {
      if (user === 'ben' && !isReady) throw ready
      return `${useVoiceClient().user}`
    }
    function Page() {
      const [user, setUser] = useState('ada')
      return (
        <Suspense fallback="waiting">
          <button onClick={() => startTransition(() => setUser('ben'))} />
          <VoiceProvider client={voice} user={user}>
            <Child user={user} />
          </VoiceProvider>
        </Suspense>
      )
    }
    const page = render(<Page />)
    expect([voice.user, page.container.textContent]).toEqual(['ada', 'ada'])
    await act(async () => page.getByRole('button').click())
    expect([voice.user, page.container.textContent]).toEqual(['ada', 'ada'])
    expect(events.filter(({ type }) => type === 'client.reset')).toHaveLength(1)
    // Code that runs meanwhile is not a component of the next user.
    expect(JSON.stringify(tagsOptions(voice).queryKey)).toContain('"user":"ada"')
    isReady = true
    await act(async () => resume())
    expect([voice.user, page.container.textContent]).toEqual(['ben', 'ben'])
    expect(events.filter(({ type }) => type === 'client.reset')).toHaveLength(2)
  })

  /** A page whose list has its options from the client of the module, and the content of each commit. */
  function openModulePage(voice: VoiceClient) {
    const queryClient = new QueryClient()
    const commits: string[] = []
    function List({ user }: { user: string }): ReactNode {
      const { data } = useInfiniteQuery(meetingsOptions(voice))
      const ids = data?.pages.flatMap(({ meetings }) => meetings.map(({ id }) => id)) ?? []
      useLayoutEffect(() => void commits.push(`[${user}] ${ids.join()}`))
      return ids.join()
    }
    const tree = (user: string): ReactNode => (
      <Boundary>
        <QueryClientProvider client={queryClient}>
          <VoiceProvider client={voice} user={user}>
            <List user={user} />
          </VoiceProvider>
        </QueryClientProvider>
      </Boundary>
    )
    const page = render(tree('ada'))
    return {
      commits,
      text: () => page.container.textContent,
      give: (user: string) => page.rerender(tree(user)),
    }
  }

  it("S35 refuses options of the module's client at the first render of a component", () => {
    const { text, commits } = openModulePage(createVirtualVoice().client)
    expect(text()).toMatch(/^Failed to make the query options: .* useVoiceClient\(\)/)
    expect(commits).toEqual([])
  })

  it("S35 commits no row of the previous user, although options come from the module's client", async () => {
    const test = createVirtualVoice()
    const { client: voice, service } = test
    service.meetings = ({ user }) => [{ id: `secret of ${user}` }]
    voice.setUser('ada')
    const { text, commits, give } = openModulePage(voice)
    await act(() => test.advance(100))
    await vi.waitFor(() => expect(text()).toBe('secret of ada'))
    give('ben')
    expect(commits.filter((commit) => commit.startsWith('[ben]') && commit.includes('ada'))).toEqual([])
    expect(text()).toMatch(/^Failed to make the query options/)
  })

  it('has the new user before any effect of a child runs', () => {
    const { client: voice } = createVirtualVoice()
    const seen: unknown[] = []
    function Child(): ReactNode {
      const client = useVoiceClient()
      return <i ref={() => void seen.push([client.user, voice.user])} />
    }
    const page = render(
      <VoiceProvider client={voice} user="ada">
        <Child />
      </VoiceProvider>,
    )
    page.rerender(
      <VoiceProvider client={voice} user="ben">
        <Child />
      </VoiceProvider>,
    )
    expect(seen.at(-1)).toEqual(['ben', 'ben'])
  })

  it('reads a user that is left out, after one was set, as nobody', () => {
    const { client: voice } = createVirtualVoice()
    const page = render(<VoiceProvider client={voice} user="ada" />)
    page.rerender(<VoiceProvider client={voice} user={undefined} />)
    expect(voice.user).toBeNull()
  })

  it('follows setUser() if it has no user prop', () => {
    const { client: voice } = createVirtualVoice()
    const Child = () => String(useVoiceClient().user)
    const page = render(
      <VoiceProvider client={voice}>
        <Child />
      </VoiceProvider>,
    )
    expect(page.container.textContent).toBe('undefined')
    act(() => voice.setUser('ada'))
    expect(page.container.textContent).toBe('ada')
    act(() => voice.setUser(null))
    expect(page.container.textContent).toBe('null')
  })

  it('refuses a second user for one client', () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { client: voice } = createVirtualVoice()
    const page = render(
      <Boundary>
        <VoiceProvider client={voice} user="ada" />
        <VoiceProvider client={voice} user="ben" />
      </Boundary>,
    )
    expect(page.container.textContent).toMatch(/gives this client another user/)
    cleanup()
    const same = render(
      <Boundary>
        <VoiceProvider client={voice} user="ada" />
        <VoiceProvider client={voice} user="ada" />
      </Boundary>,
    )
    expect(() => voice.setUser('ben')).toThrow(/gives this client another user/)
    same.rerender(
      <Boundary>
        <VoiceProvider client={voice} user="ben" />
        <VoiceProvider client={voice} user="ben" />
      </Boundary>,
    )
    expect([same.container.textContent, voice.user]).toEqual(['', 'ben'])
  })

  it('reports once, in development, that a client is made in a render', () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    function App(): ReactNode {
      const client = createVoiceClient({ url: '/api/voice' })
      return <VoiceProvider client={client}>{typeof client.user}</VoiceProvider>
    }
    const page = render(<App />, { wrapper: StrictMode })
    expect(said).not.toHaveBeenCalled()
    for (let renders = 0; renders < 3; renders += 1) page.rerender(<App />)
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/^Failed to keep the voice client: .* outside of components\.$/)],
    ])
    page.unmount()

    said.mockClear()
    vi.stubEnv('NODE_ENV', 'production')
    const built = render(<App />)
    built.rerender(<App />)
    expect(said).not.toHaveBeenCalled()
    vi.unstubAllEnvs()
  })

  it('reports neither a client that a component keeps, nor a new one of the module, as after a hot reload', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {})
    function App(): ReactNode {
      const [client] = useState(() => createVoiceClient({ url: '/api/voice' }))
      return <VoiceProvider client={client} />
    }
    const page = render(<App />, { wrapper: StrictMode })
    page.rerender(<App />)
    const clients = [1, 2].map(() => createVoiceClient({ url: '/api/voice' }))
    await Promise.resolve()
    const reloaded = render(<VoiceProvider client={clients[0]!} />)
    reloaded.rerender(<VoiceProvider client={clients[1]!} />)
    expect(said).not.toHaveBeenCalled()
  })
})
