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
  /** When the words began: milliseconds from any zero, for all texts the same. */
  readonly startMs?: number | undefined
  /** When they ended, from the same zero. */
  readonly endMs?: number | undefined
}

/** One text of a transcript. */
export interface Segment extends TranscriptText {
  /** Stays while the text grows, and is not used again: for React's `key`. */
  readonly key: number
}
