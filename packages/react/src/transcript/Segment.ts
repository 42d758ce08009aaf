/** The text that `select` returns for a message. It is final, or may still grow. */
export interface TranscriptText {
  readonly text: string
  /** False: a later text replaces it. */
  readonly final: boolean
  /**
   * Texts with the same id are about the same words. Without ids, a text replaces the last text of the same
   * speaker, unless that is final.
   */
  readonly id?: string | number | undefined
  /** Name or number of the speaker. */
  readonly speaker?: string | undefined
  /** BCP 47, such as `en-US`: for the attribute `lang`. */
  readonly language?: string | undefined
  /** Start of the words, in milliseconds: since the connection was opened, or since 1970 (a date). */
  readonly startMs?: number | undefined
  /** End of the words, counted in the same way. */
  readonly endMs?: number | undefined
}

/**
 * One text of a transcript. Its times are dates, or count from the start of the first connection, even if the
 * text came from a later one.
 */
export interface Segment extends TranscriptText {
  /** For React's `key`: the same while the text grows, and never used again. */
  readonly key: number
}

/** At most a hundred segments in a row. */
export interface TranscriptBlock {
  /** Stays while the block grows and shrinks, and is not used again: for React's `key`. */
  readonly key: number
  readonly segments: readonly Segment[]
}

/** Three years: no recording is that long, so a larger time is a date. */
const FIRST_DATE_MS = 1e11

export const isTime = (time: number | undefined): time is number =>
  time !== undefined && Number.isFinite(time)

export const isDate = (time: number): boolean => time > FIRST_DATE_MS
