import { dehydrate, hydrate, QueryClient, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { act, waitFor } from '@testing-library/react'
import { Suspense } from 'react'
import { expect, it } from 'vitest'
import { createVoiceClient } from '../client/createVoiceClient.js'
import { setupVoice } from '../testing/setupVoice.test.kit.js'
import { useSessionToken } from './useSessionToken.js'
import { sessionTokenOptions } from './sessionTokenOptions.js'
import { sourceOf } from './sourceOf.test.kit.js'

it('returns the token of the source for prefetching, useQuery, Suspense and the hook, with one request', async () => {
  await using setup = await setupVoice()
  const options = sessionTokenOptions(setup.voice, 'stt')
  await setup.queryClient.prefetchQuery(options)
  const { result } = setup.render(
    () => ({
      query: useQuery(options).data?.token,
      suspense: useSuspenseQuery(options).data.token,
      hook: useSessionToken('stt').token,
    }),
    {
      wrapper: ({ children }) => (
        <setup.Wrapper>
          <Suspense>{children}</Suspense>
        </setup.Wrapper>
      ),
    },
  )
  await waitFor(() => expect(result.current.hook?.value).toMatch(/./))
  expect(result.current.query).toBe(result.current.hook)
  expect(result.current.suspense).toBe(result.current.hook)
  expect(setup.asked).toEqual(['/session-token'])
})

it('S31 the query cache, its dehydrated state and copies of it hold no token', async () => {
  await using setup = await setupVoice()
  const options = sessionTokenOptions(setup.voice, 'stt')
  const data = await setup.queryClient.fetchQuery(options)
  const secret = data.token?.value ?? ''
  expect(secret.length).toBeGreaterThan(10)

  const { inspect } = await import('node:util')
  const state = dehydrate(setup.queryClient)
  const cached = setup.queryClient.getQueryCache().getAll()
  const dumps = [
    JSON.stringify(state),
    JSON.stringify(cached.map((query) => query.state)),
    inspect(state, { depth: 12, showHidden: true }),
    inspect(structuredClone(cached[0]?.state.data), { depth: 12 }),
    JSON.stringify(setup.events),
    JSON.stringify(sourceOf(setup.voice, 'stt').state()),
  ]
  expect(dumps.filter((dump) => dump.includes(secret))).toEqual([])
})

it('does not use dehydrated data as a token, and requests a real one', async () => {
  await using setup = await setupVoice()
  const elsewhere = { voice: createVoiceClient({ url: setup.stack.url }), queryClient: new QueryClient() }
  await elsewhere.queryClient.fetchQuery(sessionTokenOptions(elsewhere.voice, 'stt'))
  const state: unknown = JSON.parse(JSON.stringify(dehydrate(elsewhere.queryClient)))
  elsewhere.queryClient.clear()
  hydrate(setup.queryClient, state as never)

  const options = sessionTokenOptions(setup.voice, 'stt')
  const seen: unknown[] = []
  const { result } = setup.render(() => {
    const { data } = useQuery(options)
    if (data?.token) seen.push(data.token.value)
    return { query: data?.token, hook: useSessionToken('stt') }
  })
  expect(result.current.hook.status).toBe('pending')
  await waitFor(() => expect(result.current.query).toBeDefined())
  expect(new Set(seen)).toEqual(new Set([result.current.hook.token?.value]))
  expect(setup.asked).toHaveLength(2)
})

it('does not use hydrated data as a token, although the source has one', async () => {
  await using setup = await setupVoice()
  const options = sessionTokenOptions(setup.voice, 'stt')
  await setup.queryClient.fetchQuery(options)
  const state: unknown = JSON.parse(JSON.stringify(dehydrate(setup.queryClient)))
  setup.queryClient.clear()
  hydrate(setup.queryClient, state as never)
  const { result } = setup.render(() => useQuery(options))
  await waitFor(() => expect(result.current.data?.token).toBe(sourceOf(setup.voice, 'stt').current()?.token))
  expect(setup.asked).toHaveLength(1)
})

/** Gives the queries of one cache to another one, as `broadcastQueryClient` does it between two tabs. */
function broadcast(from: QueryClient, to: QueryClient): void {
  const cache = to.getQueryCache()
  for (const { queryKey, queryHash, state: own } of from.getQueryCache().getAll()) {
    const state = structuredClone(own)
    const query = cache.get(queryHash)
    if (query) query.setState(state)
    else cache.build(to, { queryKey, queryHash }, state)
  }
}

it('keeps its token when another tab shares its cache, and requests none because of it', async () => {
  await using setup = await setupVoice()
  const tab = { voice: createVoiceClient({ url: setup.stack.url }), queryClient: new QueryClient() }
  await tab.queryClient.fetchQuery(sessionTokenOptions(tab.voice, 'stt'))
  const options = sessionTokenOptions(setup.voice, 'stt')
  const seen: unknown[] = []
  const { result } = setup.render(() => {
    const { data } = useQuery(options)
    seen.push(data && typeof data.token?.value)
    return data
  })
  await waitFor(() => expect(result.current?.token).toBeDefined())
  act(() => broadcast(tab.queryClient, setup.queryClient))
  await waitFor(() => expect(setup.queryClient.isFetching()).toBe(0))
  expect(result.current?.token).toBeDefined()
  expect(new Set(seen)).toEqual(new Set([undefined, 'string']))
  expect(setup.asked).toEqual(['/session-token', '/session-token'])
  tab.queryClient.clear()
})

it('returns no token that was forgotten', async () => {
  await using setup = await setupVoice()
  const other = new QueryClient()
  const data = await other.fetchQuery(sessionTokenOptions(setup.voice, 'vt', { ttlMinutes: 600 }))
  expect(data.expiresAt).toBeInstanceOf(Date)
  setup.voice.reset()
  expect([data.token, data.expiresAt]).toEqual([undefined, undefined])
  other.clear()
})
