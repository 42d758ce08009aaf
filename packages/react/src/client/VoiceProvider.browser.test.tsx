import { openBrowserStack } from '@stagepass/testing/browser'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import { type ReactNode, StrictMode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { createVoiceClient } from './createVoiceClient.js'
import { useMeetings, type UseMeetingsResult } from '../meetings/useMeetings.js'
import type { ReceivedData, SendData } from '../platform/socket.js'
import { useStream, type UseStreamResult } from '../stream/useStream.js'
import { VoiceProvider } from './VoiceProvider.js'

afterEach(cleanup)

interface Shown {
  readonly user: string | null
  readonly stream: UseStreamResult<SendData, ReceivedData>
  readonly list: UseMeetingsResult<{ readonly id: string }>
}

/**
 * A stack whose login session belongs to ada, and a page of one component. `hold` delays lists and refreshes
 * until `release`.
 */
async function openPage() {
  const stack = await openBrowserStack({ emulator: { echo: true } })
  await stack.run((own) => {
    const held: (() => void)[] = []
    Object.assign(own, { held, isHolding: false })
    own.intercept((req, res, next) => {
      const user = String(req.get('x-stagepass-user'))
      if (!req.url.startsWith('/meetings') || req.method !== 'GET' || user !== own.grant?.user) return next()
      const respond = (): void => {
        res.set('access-control-allow-origin', req.get('origin') ?? '')
        res.set('access-control-allow-credentials', 'true')
        res.json({ meetings: [{ id: `${user} 1` }, { id: `${user} 2` }], next_cursor: `${user} next` })
      }
      if ((own as unknown as { isHolding: boolean }).isHolding) held.push(respond)
      else respond()
    })
  })
  const heard: string[] = []
  const crossings: unknown[] = []
  const voice = createVoiceClient({ url: stack.url })
  const queryClient = new QueryClient()
  let shown: Shown | undefined

  const onRender = (next: Shown): void => {
    shown = next
    if (next.list.meetings.some(({ id }) => !id.startsWith(`${next.user} `))) crossings.push(next)
  }
  function Page({ user }: { user: string | null }): ReactNode {
    const list = useMeetings()
    const stream = useStream('stt', { onMessage: (data) => heard.push(`${user} hears ${data as string}`) })
    onRender({ user, stream, list })
    return stream.status
  }
  const tree = (user: string | null): ReactNode => (
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <VoiceProvider client={voice} user={user}>
          <Page user={user} />
        </VoiceProvider>
      </QueryClientProvider>
    </StrictMode>
  )
  const page = render(tree('ada'))
  const now = (): Shown => shown as Shown
  return {
    stack,
    heard,
    crossings,
    queryClient,
    now,
    until: (status: string) => vi.waitFor(() => expect(now().stream.status).toBe(status)),
    rows: () => now().list.meetings.map(({ id }) => id),
    signIn: (user: string) => stack.run((own, _, id) => void (own.grant = { ...own.grant, user: id }), user),
    give: (user: string | null) => act(() => page.rerender(tree(user))),
    hold: () => stack.run((own) => void Object.assign(own, { isHolding: true })),
    held: () => stack.run((own) => (own as unknown as { held: unknown[] }).held.length),
    release: () =>
      stack.run((own) => {
        Object.assign(own, { isHolding: false })
        for (const respond of (own as unknown as { held: (() => void)[] }).held.splice(0)) respond()
      }),
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

it('S35 a change of user during a live stream, a slow list and a refresh leaves nothing of the previous user', async () => {
  await using page = await openPage()
  await page.until('open')
  await vi.waitFor(() => expect(page.rows()).toEqual(['ada 1', 'ada 2']))
  page.now().stream.send('one')
  await vi.waitFor(() => expect(page.heard).toEqual(['ada hears one']))

  await page.hold()
  const { list, stream } = page.now()
  const ends = [list.fetchNextPage(), list.refresh()]
  await vi.waitFor(async () => expect(await page.held()).toBe(2))
  await page.signIn('ben')
  stream.send('echo that comes too late')
  page.give('ben')
  expect(page.rows()).toEqual([])
  expect(stream.send('words of ada')).toBe('dropped')
  await page.release()
  await Promise.all(ends)
  await page.until('open')
  await vi.waitFor(() => expect(page.rows()).toEqual(['ben 1', 'ben 2']))
  page.now().stream.send('two')
  await vi.waitFor(() => expect(page.heard.at(-1)).toBe('ben hears two'))

  expect(page.heard.filter((line) => line.startsWith('ben'))).toEqual(['ben hears two'])
  expect(page.crossings).toEqual([])
  const cached = JSON.stringify(
    page.queryClient
      .getQueryCache()
      .getAll()
      .map(({ state }) => state),
  )
  expect(cached).not.toContain('ada')
  expect(await page.stack.run(({ upstream }) => [upstream.counts.token, upstream.sockets.length])).toEqual([
    2, 1,
  ])

  page.give(null)
  await page.until('idle')
  expect(page.rows()).toEqual([])
  await vi.waitFor(async () =>
    expect(await page.stack.run(({ upstream }) => upstream.sockets.length)).toBe(0),
  )
  expect(await page.stack.run(({ upstream }) => upstream.counts.token)).toBe(2)
})
