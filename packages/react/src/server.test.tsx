// @vitest-environment node
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { QueryClient, QueryClientProvider, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { renderToPipeableStream, renderToString } from 'react-dom/server'
import { expect, it, vi } from 'vitest'
import { createPlatform } from './platform/createPlatform.js'
import { createVoiceClient } from './client/createVoiceClient.js'
import { useMeeting } from './meetings/useMeeting.js'
import { useMeetings } from './meetings/useMeetings.js'
import { setupVoice } from './testing/setupVoice.test.kit.js'
import { useStream } from './stream/useStream.js'
import { useTags } from './meetings/useTags.js'
import { useSessionToken } from './token/useSessionToken.js'
import { sessionTokenOptions } from './token/sessionTokenOptions.js'
import { sourceOf } from './token/sourceOf.test.kit.js'
import { useUsage } from './usage/useUsage.js'
import { useVoiceClient } from './client/useVoiceClient.js'
import { VoiceProvider } from './client/VoiceProvider.js'
import { meetingsOptions } from './meetings/meetingsOptions.js'

/** Renders everything, including components that suspend. */
function renderAll(tree: ReactNode): Promise<string> {
  return new Promise((resolve, reject) => {
    const { pipe } = renderToPipeableStream(tree, {
      onAllReady: () => resolve(text(pipe(new PassThrough()))),
      onError: reject,
    })
  })
}

it('renders every hook without a DOM and without a request', async () => {
  expect(typeof window).toBe('undefined')
  let requests = 0
  const voice = createVoiceClient({
    url: '/api/voice',
    fetch: () => {
      requests += 1
      return Promise.reject(new Error('no requests here'))
    },
  })
  function Page() {
    const { status } = useSessionToken('stt')
    const { status: stream } = useStream('stt')
    const { meetings } = useMeetings({ search: 'x' })
    const { meeting } = useMeeting('1')
    const { tags } = useTags()
    const { usedMs = 'unknown' } = useUsage()
    return `${status} ${stream} ${meetings.length} ${meeting?.id ?? 'none'} ${tags.length} ${usedMs}`
  }
  const queryClient = new QueryClient()
  // Next.js refuses to prerender a component that reads the clock.
  const clock = vi.spyOn(Date, 'now')
  const html = renderToString(
    <QueryClientProvider client={queryClient}>
      <VoiceProvider client={voice}>
        <Page />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  expect(clock.mock.calls).toEqual([])
  clock.mockRestore()
  expect(html).toBe('pending idle 0 none 0 unknown')
  // Promises and effects that the render began would have run.
  await setImmediate()
  expect(requests).toBe(0)
})

it('renders what a loader has fetched on the server', async () => {
  await using setup = await setupVoice()
  const options = meetingsOptions(setup.voice, { pageSize: 3 })
  await setup.queryClient.prefetchInfiniteQuery(options)
  function Page() {
    const { meetings } = useMeetings({ pageSize: 3 })
    const { data } = useSuspenseInfiniteQuery(options)
    return `${meetings.length} ${data.pages.length}`
  }
  const html = renderToString(
    <setup.Wrapper>
      <Suspense fallback="waiting">
        <Page />
      </Suspense>
    </setup.Wrapper>,
  )
  expect(html).toContain('3 1')
  expect(setup.asked).toHaveLength(1)
})

it('S36 shares nothing between two requests that render at once through one client', async () => {
  const asked: string[] = []
  let bothAreInFlight = (): void => undefined
  const inFlight = new Promise<void>((resolve) => (bothAreInFlight = resolve))
  // At module level, as many applications have it.
  const voice = createVoiceClient({
    url: '/api/voice',
    fetch: async (input, init) => {
      const user = new Headers(init?.headers).get('x-stagepass-user')
      asked.push(`${input as string} ${user}`)
      if (asked.length === 2) bothAreInFlight()
      await inFlight
      return Response.json({ meetings: [{ id: `${user} 1` }], next_cursor: null })
    },
  })
  const clients = new Set<unknown>()
  function Page() {
    const client = useVoiceClient()
    clients.add(client)
    const { status } = useSessionToken('stt')
    const { status: stream } = useStream('stt')
    const { data } = useSuspenseInfiniteQuery(meetingsOptions(client))
    return `${client.user} ${status} ${stream} ${JSON.stringify(data.pages)}`
  }
  function respond(user: string): Promise<string> {
    return renderAll(
      <QueryClientProvider client={new QueryClient()}>
        <VoiceProvider client={voice} user={user}>
          <Suspense fallback="waiting">
            <Page />
          </Suspense>
        </VoiceProvider>
      </QueryClientProvider>,
    )
  }
  const [ada, ben] = await Promise.all([respond('ada'), respond('ben')])
  expect([ada, ben]).toEqual([
    expect.stringMatching(/ada pending idle .*ada 1/),
    expect.stringMatching(/ben pending idle .*ben 1/),
  ])
  expect(ada).not.toContain('ben')
  expect(ben).not.toContain('ada')
  expect(asked.toSorted()).toEqual(['/api/voice/meetings ada', '/api/voice/meetings ben'])
  expect(clients.size).toBe(2)
  expect(voice.user).toBeUndefined()
})

it('S36 requests and keeps no token', async () => {
  await using setup = await setupVoice()
  const { voice, queryClient } = setup
  for (const user of [undefined, 'ada']) {
    if (user !== undefined) voice.setUser(user)
    const source = sourceOf(voice, 'stt')
    source.retain()
    await expect(source.get()).rejects.toMatchObject({ code: 'ABORTED', retryable: false })
    await expect(source.renew()).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(queryClient.fetchQuery(sessionTokenOptions(voice, 'stt'))).rejects.toMatchObject({
      code: 'ABORTED',
    })
    expect(source.current()).toBeUndefined()
    expect(source.state().status).toBe('pending')
  }
  // A client that was created for one request may fetch its lists.
  await queryClient.prefetchInfiniteQuery(meetingsOptions(voice, { pageSize: 3 }))
  expect(setup.asked).toEqual(['/meetings?limit=3'])
})

it('S36 finds in the page the data that a client with the same user has fetched on the server', () => {
  const [server, page] = [createVoiceClient({ url: '/api/voice' }), createVoiceClient({ url: '/api/voice' })]
  server.setUser('ada')
  const key = meetingsOptions(server).queryKey
  const Page = () => JSON.stringify(meetingsOptions(useVoiceClient()).queryKey)
  const html = renderToString(
    <VoiceProvider client={page} user="ada">
      <Page />
    </VoiceProvider>,
  )
  expect(html.replaceAll('&quot;', '"')).toBe(JSON.stringify(key))
})

it('has a platform that is online and never wakes', () => {
  const platform = createPlatform()
  expect(platform.isOnline()).toBe(true)
  platform.onWake(() => expect.unreachable())()
  platform.onSuspend(() => expect.unreachable())()
})
