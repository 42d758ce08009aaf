import type { BrowserEmulator } from '@stagepass/emulator/browser'
import type { VoiceClient } from '@stagepass/react'
import type { ComponentType } from 'react'

export interface SampleProps {
  readonly emulator: BrowserEmulator
  /** `createVoiceClient(emulator.clientOptions(bff))` */
  readonly voice: VoiceClient
  /** Another user at the BFF; `null`: nobody. */
  readonly signIn: (user: string | null) => void
}

export interface Tab {
  readonly id: string
  readonly title: string
  readonly intro: string
  /** Name of the file that is shown. */
  readonly file: string
  readonly source: string
  readonly Sample: ComponentType<SampleProps>
}
