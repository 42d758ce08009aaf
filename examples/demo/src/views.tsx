import type { Product } from '@stagepass/contract'
import type { ReactNode } from 'react'
import { Meetings } from './Meetings.js'
import { SpeechToText } from './products/SpeechToText.js'
import { TextToSpeech } from './products/TextToSpeech.js'
import { VoiceIsolation } from './products/VoiceIsolation.js'
import { VoiceTranslation } from './products/VoiceTranslation.js'
import type { UserId } from './users.js'

interface ViewProps {
  readonly user: UserId
  readonly upstream: 'emulator' | 'service'
  /** The first visit, on the emulator: something may play by itself. */
  readonly isFirstLook: boolean
}

interface View {
  /** In the address, as `?show=`. */
  readonly id: string
  readonly title: string
  /** Only for users who may use it. Default: for all. */
  readonly product?: Product
  readonly show: (props: ViewProps) => ReactNode
}

/** The tabs of the page. Another one is a row. */
export const VIEWS: readonly View[] = [
  {
    id: 'captions',
    title: 'Captions',
    product: 'stt',
    show: ({ isFirstLook }) => <SpeechToText isFirstLook={isFirstLook} />,
  },
  { id: 'read-aloud', title: 'Read aloud', product: 'tts', show: () => <TextToSpeech /> },
  { id: 'translation', title: 'Translation', product: 'vt', show: () => <VoiceTranslation /> },
  { id: 'isolation', title: 'Isolation', product: 'viva', show: () => <VoiceIsolation /> },
  {
    id: 'meetings',
    title: 'Meetings',
    show: ({ user, upstream }) => <Meetings user={user} upstream={upstream} />,
  },
]
