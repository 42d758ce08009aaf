// @vitest-environment node
import { QueryClient, QueryClientProvider, useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, it } from 'vitest'
import { browserPlatform } from './platform/browserPlatform.js'
import { createVoiceClient } from './createVoiceClient.js'
import { useMeeting } from './meetings/useMeeting.js'
import { useMeetings } from './meetings/useMeetings.js'
import { setupVoice } from './testing/setupVoice.test.kit.js'
import { useStream } from './stream/useStream.js'
import { useTags } from './meetings/useTags.js'
import { useSessionToken } from './token/useSessionToken.js'
import { VoiceProvider } from './VoiceProvider.js'

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
    return `${status} ${stream} ${meetings.length} ${meeting?.id ?? 'none'} ${tags.length}`
  }
  const html = renderToString(
    <QueryClientProvider client={new QueryClient()}>
      <VoiceProvider client={voice}>
        <Page />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  expect(html).toBe('pending idle 0 none 0')
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(requests).toBe(0)
})

it('renders what a loader has fetched on the server', async () => {
  await using setup = await setupVoice()
  const options = setup.voice.meetingsOptions({ pageSize: 3 })
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

it('has a platform that is online and never wakes', () => {
  const platform = browserPlatform()
  expect(platform.isOnline()).toBe(true)
  platform.onWake(() => expect.unreachable())()
  platform.onSuspend(() => expect.unreachable())()
})
