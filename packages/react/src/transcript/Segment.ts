/** What `select` makes of a message: a text that is final, or one that still grows. */
export interface TranscriptText {
  readonly text: string
  /** False: a later text takes its place. */
  readonly final: boolean
  /**
   * Texts with the same id are about the same words. Without ids, a text takes the place of the last one of
   * that speaker if that is not final.
   */
  readonly id?: string | number | undefined
  /** Name or number of who speaks. */
  readonly speaker?: string | undefined
  /** BCP 47, such as `en-US`: for the attribute `lang`. */
  readonly language?: string | undefined
  /** When the words began, in milliseconds: since the connection began, or a date, since 1970. */
  readonly startMs?: number | undefined
  /** When they ended, counted in the same way. */
  readonly endMs?: number | undefined
}

/**
 * One text of a transcript. Its times are dates, or count from the start of the first connection, also if it
 * came from a later one.
 */
export interface Segment extends TranscriptText {
  /** Stays while the text grows, and is not used again: for React's `key`. */
  readonly key: number
}

/** Three years: no recording is so long, so a time above it is a date. */
const FIRST_DATE_MS = 1e11

export const isTime = (time: number | undefined): time is number =>
  time !== undefined && Number.isFinite(time)

export const isDate = (time: number): boolean => time > FIRST_DATE_MS
