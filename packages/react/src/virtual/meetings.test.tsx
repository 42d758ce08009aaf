import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { useMeeting } from '../meetings/useMeeting.js'
import { useMeetings } from '../meetings/useMeetings.js'
import { useTags } from '../meetings/useTags.js'
import { VoiceProvider } from '../client/VoiceProvider.js'
import { createVirtualVoice, type VirtualVoice } from './createVirtualVoice.test.kit.js'

afterEach(cleanup)

function Everything(): ReactNode {
  const { meetings } = useMeetings({ fields: ['title'] })
  const detail = useMeeting('m 2', { fields: ['title'] })
  const { tags } = useTags()
  return [
    ...meetings.map(({ title }) => title),
    detail.meeting?.title ?? detail.error?.code,
    ...tags.map(String),
  ].join()
}

async function shown(voice: VirtualVoice): Promise<() => string | null> {
  const page = render(
    <QueryClientProvider client={new QueryClient()}>
      <VoiceProvider client={voice.client}>
        <Everything />
      </VoiceProvider>
    </QueryClientProvider>,
  )
  await act(() => voice.advance(100))
  return () => page.container.textContent
}

it('fills lists, details and tags', async () => {
  const meetings = [
    { id: 'm1', title: 'Roadmap' },
    { id: 'm 2', title: 'Review' },
  ]
  const text = await shown(createVirtualVoice({ meetings, tags: ['sales'] }))
  await vi.waitFor(() => expect(text()).toBe('Roadmap,Review,Review,sales'))
})

it('fills them later, for each user', async () => {
  const voice = createVirtualVoice()
  voice.service.meetings = ({ user }) => [{ id: 'm1', title: `Roadmap of ${user}` }]
  voice.setUser('ada')
  const text = await shown(voice)
  await vi.waitFor(() => expect(text()).toBe('Roadmap of ada,NOT_FOUND'))
})
