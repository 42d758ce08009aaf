import { QueryClient } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { clientOf } from '../client/createVoiceClient.js'
import { createVirtualVoice } from '../virtual/createVirtualVoice.test.kit.js'
import { headOptions } from './headOptions.js'
import { meetingsKey, meetingsOptions } from './meetingsOptions.js'

it('S35 a refresh that waits for a page changes nothing after its user has left', async () => {
  const voice = createVirtualVoice()
  const client = clientOf(voice.client)
  const queryClient = new QueryClient()
  let rows = [{ id: 'old' }]
  voice.service.meetings = () => rows
  void queryClient.fetchInfiniteQuery(meetingsOptions(voice.client))
  await voice.advance(100)
  const list = queryClient.getQueryCache().find({ queryKey: meetingsKey(client, {}) })
  expect(JSON.stringify(list?.state.data)).toContain('old')

  rows = [{ id: 'fresh' }, { id: 'old' }]
  // A response takes 10 ms, so the head is there while the list is still loading.
  const head = Promise.allSettled([queryClient.fetchQuery(headOptions(client, {}, queryClient))])
  await voice.advance(5)
  const page = Promise.allSettled([list?.fetch()])
  await voice.advance(7)
  expect([list?.state.fetchStatus, voice.service.requests.map(({ isDone }) => isDone)]).toEqual([
    'fetching',
    [true, true, false],
  ])
  voice.client.reset()
  await voice.advance(100)
  expect((await Promise.all([head, page])).flat()).toMatchObject([
    { status: 'rejected', reason: { code: 'ABORTED' } },
    { status: 'rejected' },
  ])
  expect(JSON.stringify(list?.state.data)).not.toContain('fresh')
})
