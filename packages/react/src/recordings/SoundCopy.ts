import type { Product } from '@stagepass/contract'
import type { Client } from '../identity/Client.js'
import type { UnavailableReason } from './Recording.js'

/**
 * Why sound is no longer kept. `final`: its text is final. `quiet`: no word was in it. `full`: there was more
 * than `keepMs`. `tried`: ten connections have got it, and none made it final. `over`: the stream has ended, or
 * its user has changed.
 */
export type ReleaseReason = 'final' | 'quiet' | 'full' | 'tried' | 'over'

/**
 * Takes what a journal keeps, and what it no longer keeps. Positions count its samples. `isUnfinished`: a word is
 * kept after the call.
 */
export interface SoundCopy {
  /** `pcm` is valid during the call only. `saidAt`: when it began, on the clock of the platform. */
  readonly added: (position: number, pcm: Uint8Array, saidAt: number, isUnfinished: boolean) => void
  readonly released: (position: number, reason: ReleaseReason, isUnfinished: boolean) => void
}

export interface StreamOfSound {
  readonly client: Client
  readonly product: Product
  readonly key: string
  readonly sampleRate: number
}

export interface RecorderOptions extends StreamOfSound {
  readonly report: (reason: UnavailableReason) => void
}
