import type { Grant } from '@stagepass/bff'
import { createVoiceClient, meetingsOptions, type VoiceClient } from '@stagepass/react'
import { type Stack, startStack } from '@stagepass/testing'
import { QueryClient } from '@tanstack/react-query'
import { describe, expect, it } from 'vitest'

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
