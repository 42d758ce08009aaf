import { fail } from '@stagepass/emulator/browser'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, expect, it } from 'vitest'
import { createTestVoice, type TestVoice } from '../testing/createTestVoice.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { useEndless, type UseEndlessOptions } from './useEndless.js'
import { type UseMeetingsResult, useMeetings } from './useMeetings.js'

afterEach(cleanup)

/** The browser reports an element in view two frames later. */
async function observed(): Promise<void> {
  for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame)
}

/** A view of 100 px with rows of that height. */
function setUp(options?: UseEndlessOptions) {
  const voice = createTestVoice({
    meetings: Array.from({ length: 60 }, (_, index) => ({ id: `m${index}` })),
  })
  const last: { list?: UseMeetingsResult<unknown>; loadMore?: () => void } = {}
  function List() {
    const list = useMeetings({ pageSize: 10 })
    const { endRef, loadMore } = useEndless(list, options)
    useEffect(() => {
      Object.assign(last, { list, loadMore })
    }, [list, loadMore])
    return (
      <div style={{ height: '100px', overflow: 'auto' }}>
        {list.meetings.map(({ id }) => (
          <p key={id} style={{ height: '100px', margin: 0 }} />
        ))}
        <div ref={endRef} style={{ height: '1px' }} />
      </div>
    )
  }
  const { container } = render(
    <QueryClientProvider client={new QueryClient()}>
      <VoiceProvider client={voice.client}>
        <List />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  const toEnd = async (): Promise<void> => {
    const view = container.querySelector('div')
    view?.scrollTo({ top: view.scrollHeight })
    await observed()
  }
  return { voice, toEnd, last, rows: () => last.list?.meetings.length }
}

const requests = ({ emulator }: TestVoice): number => emulator.requests.length

it('loads the next page when the end comes into view, and no other', async () => {
  const { voice, toEnd, rows } = setUp()
  using _ = voice
  await expect.poll(rows).toBe(10)
  await observed()
  expect(requests(voice)).toBe(1)
  await toEnd()
  await expect.poll(rows).toBe(20)
  await toEnd()
  await expect.poll(rows).toBe(30)
  expect(requests(voice)).toBe(3)
})

it('stops with `upTo` rows, and continues with loadMore', async () => {
  const { voice, toEnd, last, rows } = setUp({ upTo: 20 })
  using _ = voice
  await expect.poll(rows).toBe(10)
  await toEnd()
  await expect.poll(rows).toBe(20)
  await toEnd()
  expect(requests(voice)).toBe(2)
  last.loadMore?.()
  await expect.poll(rows).toBe(30)
})

it('sends nothing again after a failure', async () => {
  const { voice, toEnd, last, rows } = setUp()
  using _ = voice
  await expect.poll(rows).toBe(10)
  voice.emulator.use(fail('SCOPE_MISSING', { times: 1 }))
  await toEnd()
  await expect.poll(() => last.list?.status).toBe('error')
  await toEnd()
  expect([requests(voice), rows()]).toEqual([2, 10])
  last.loadMore?.()
  await expect.poll(rows).toBe(20)
})
