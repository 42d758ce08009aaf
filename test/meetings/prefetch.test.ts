import type { Grant, UserMeetingsFilters } from '@stagepass/bff'
import {
  createVoiceClient,
  isVoiceError,
  meetingOptions,
  type MeetingsFilters,
  meetingsOptions,
  tagsOptions,
  type VoiceClient,
} from '@stagepass/react'
import { type Stack, startStack } from '@stagepass/testing'
import { dehydrate, hydrate, QueryClient } from '@tanstack/react-query'
import { describe, expect, expectTypeOf, it } from 'vitest'

const ADA = 'theme=dark; session=ada'

/** A host that identifies its users by a cookie. */
async function startHost(): Promise<Stack> {
  const grants = new Map<string | undefined, Grant>()
  const stack = await startStack({
    bff: { authorize: (req) => grants.get(/\bsession=(\w+)/.exec(req.headers.cookie ?? '')?.[1]) },
  })
  const { main, other } = stack.upstream.credentials
  grants.set('ada', { user: 'ada', meetings: { credential: main } })
  grants.set('bob', { user: 'bob', meetings: { credential: other } })
  return stack
}

const filters = { fields: ['title'], pageSize: 3 } as const

async function prefetch(voice: VoiceClient): Promise<string[] | undefined> {
  const queryClient = new QueryClient()
  const options = meetingsOptions(voice, filters)
  await queryClient.prefetchInfiniteQuery(options)
  return queryClient.getQueryData(options.queryKey)?.pages[0]?.meetings.map(({ id }) => id)
}

describe('a server that renders for its user', () => {
  const ways: [string, (stack: Stack, cookie: string) => VoiceClient][] = [
    ['headers', ({ url }, cookie) => createVoiceClient({ url, headers: { cookie } })],
    [
      'a function of headers',
      ({ url }, cookie) => createVoiceClient({ url, headers: async () => ({ cookie }) }),
    ],
    [
      'a fetch of its own',
      ({ origin }, cookie) =>
        createVoiceClient({
          url: '/api/voice',
          fetch: (path, init) => {
            const headers = new Headers(init?.headers)
            headers.set('cookie', cookie)
            return fetch(new URL(path as string, origin), { ...init, headers })
          },
        }),
    ],
  ]
  it.each(ways)('gets the list of the visitor whose cookie it forwards by %s', async (_what, createVoice) => {
    await using stack = await startHost()
    const [ada, bob] = await Promise.all([
      prefetch(createVoice(stack, ADA)),
      prefetch(createVoice(stack, 'session=bob')),
    ])
    expect(ada).toHaveLength(3)
    expect(bob).toHaveLength(3)
    expect(bob).not.toEqual(ada)
  })
})

describe('a server that has the BFF in its process', () => {
  it('prefetches without a request, for the keys of the page', async () => {
    await using stack = await startStack()
    const { user = '', meetings } = stack.grant ?? {}
    const voice = createVoiceClient({ url: stack.url, fetch: stack.bff.as({ user, meetings }).fetch })
    voice.setUser(user)
    const onServer = new QueryClient()
    const list = meetingsOptions(voice, filters)
    await onServer.prefetchInfiniteQuery({ ...list, pages: 2 })
    const id = onServer.getQueryData(list.queryKey)?.pages[1]?.meetings[0]?.id ?? ''
    await onServer.prefetchQuery(meetingOptions(voice, id, { fields: ['title'] }))
    await onServer.prefetchQuery(tagsOptions(voice))
    const vias = stack.events.flatMap((event) => (event.type === 'request.finished' ? [event.via] : []))
    expect(vias).toEqual(['server', 'server', 'server', 'server'])

    const inPage = new QueryClient()
    hydrate(inPage, JSON.parse(JSON.stringify(dehydrate(onServer))))
    const page = createVoiceClient({
      url: stack.url,
      fetch: () => expect.unreachable('the page has what the server has sent'),
    })
    page.setUser(user)
    const shown = await inPage.fetchInfiniteQuery({ ...meetingsOptions(page, filters), pages: 2 })
    expect(shown.pages.map((one) => one.meetings.length)).toEqual([3, 3])
    const fresh = { staleTime: Infinity }
    expect(
      await inPage.fetchQuery({ ...meetingOptions(page, id, { fields: ['title'] }), ...fresh }),
    ).toMatchObject({ id })
    expect((await inPage.fetchQuery({ ...tagsOptions(page), ...fresh })).length).toBeGreaterThan(0)
  })

  it('gets the errors of the BFF, and never the list of another user', async () => {
    await using stack = await startStack()
    const { fetch } = stack.bff.as({ user: 'ada' })
    const codeOf = async (user: string) => {
      const voice = createVoiceClient({ url: '/api/voice', fetch })
      voice.setUser(user)
      const reading = new QueryClient().fetchQuery(tagsOptions(voice))
      const error: unknown = await reading.then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      return isVoiceError(error) ? error.code : error
    }
    expect(await codeOf('ada')).toBe('FORBIDDEN')
    expect(await codeOf('ben')).toBe('USER_CHANGED')
  })

  it('has the filters of the hooks', () => {
    expectTypeOf<Omit<UserMeetingsFilters, 'cursor' | 'fields'>>().toEqualTypeOf<
      Omit<MeetingsFilters, 'fields'>
    >()
  })
})
