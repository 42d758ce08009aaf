import { VoiceProvider } from '@stagepass/react'
import { MeetingsList } from '@stagepass/registry/meetings-list'
import type { ReactNode } from 'react'
import type { SampleProps } from './Tab.js'

export function MeetingsSample({ voice }: SampleProps): ReactNode {
  return (
    <VoiceProvider client={voice}>
      <MeetingsList filters={['search', 'sort', 'ownership']} />
    </VoiceProvider>
  )
}
