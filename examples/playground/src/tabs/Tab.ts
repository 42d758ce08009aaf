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

/** A file, as it is shown. */
export interface SourceFile {
  readonly name: string
  readonly text: string
}

export interface Tab {
  readonly id: string
  readonly title: string
  readonly intro: string
  /** The sample itself, and then the components that it uses. */
  readonly files: readonly [SourceFile, ...SourceFile[]]
  readonly Sample: ComponentType<SampleProps>
}
