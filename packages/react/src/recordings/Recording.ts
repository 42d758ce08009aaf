import type { Product } from '@stagepass/contract'
import type { RecoveryEvent } from '../events/events.js'

/** Sound of a stream on the disk of the page. */
export interface Recording {
  readonly id: string
  /** Where the BFF is mounted, and its user: only the same user of the same application gets it. */
  readonly url: string
  readonly user: string
  readonly product: Product
  /** The key of the stream. */
  readonly key: string
  readonly sampleRate: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** What comes before this sample is final. */
  readonly seam: number
  /** False: what comes after it is quiet, such as the silence after a last word. It is not offered. */
  readonly hasWords: boolean
}

/** A part of a recording: 16-bit PCM, encrypted. */
export interface Piece {
  /** The recording. */
  readonly id: string
  /** Number of its first sample. */
  readonly position: number
  readonly samples: number
  /** When it was said, in milliseconds since the epoch. */
  readonly saidAt: number
  readonly iv: Uint8Array<ArrayBuffer>
  readonly data: ArrayBuffer
}

/** A part that is not encrypted yet. */
export interface PlainPiece extends Pick<Piece, 'position' | 'samples' | 'saidAt'> {
  readonly pcm: Uint8Array<ArrayBuffer>
}

export type UnavailableReason = RecoveryEvent['reason']

/** Less sound than this is no recording. */
export const LEAST_MS = 100

/** The Web Lock of a page that records or sends it. */
export const lockOf = (id: string): string => `stagepass recording ${id}`
