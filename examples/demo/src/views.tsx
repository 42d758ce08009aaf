import type { Product } from '@stagepass/contract'
import type { ReactNode } from 'react'
import { Meetings } from './Meetings.js'
import { Queue } from './products/Queue.js'
import { Silence } from './products/Silence.js'
import { SpeechToText } from './products/SpeechToText.js'
import { TextToSpeech } from './products/TextToSpeech.js'
import { VoiceIsolation } from './products/VoiceIsolation.js'
import { VoiceTranslation } from './products/VoiceTranslation.js'
import type { UserId } from './users.js'
import type { WireLog } from './wire/createWireLog.js'
import type { Gauges } from './wire/useDemoFeed.js'

interface ViewProps {
  readonly user: UserId
  readonly gauges: Gauges
  readonly log: WireLog
  /** The first visit, on the emulator: something may play by itself. */
  readonly isFirstLook: boolean
}

interface View {
  /** In the address, as `?show=`. */
  readonly id: string
  readonly title: string
  /** Only for users who may use it. Default: for all. */
  readonly product?: Product
  /** The `key` of its stream, if another tab has the same product. Default: all other streams of it. */
  readonly streamKey?: string
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
    id: 'silence',
    title: 'Silence',
    product: 'stt',
    streamKey: 'silence',
    show: ({ gauges }) => <Silence billedMs={gauges.billedMs} />,
  },
  { id: 'queue', title: 'Queue', show: ({ log }) => <Queue log={log} /> },
  {
    id: 'meetings',
    title: 'Meetings',
    show: ({ user, gauges: { upstream } }) => <Meetings user={user} upstream={upstream} />,
  },
]
