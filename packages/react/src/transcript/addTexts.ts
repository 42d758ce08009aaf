import type { Segment, TranscriptText } from './Segment.js'

/** A text, and the connection that it came from: a service may count ids from 1 on each. */
export interface HeardText extends TranscriptText {
  readonly source: object
}

export interface TranscriptState {
  readonly segments: readonly Segment[]
  /** Segments that were let go, because more than `keep` came. */
  readonly dropped: number
  /** The connection of each segment. */
  readonly sources: readonly object[]
  readonly nextKey: number
}

export const EMPTY: TranscriptState = { segments: [], dropped: 0, sources: [], nextKey: 0 }

/** A text is about one of so many segments before it, or about a new one. */
const LOOK_BACK = 100

/** The state after some more texts. The one before is left as it is. */
export function addTexts(
  before: TranscriptState,
  texts: readonly HeardText[],
  keep: number,
): TranscriptState {
  const segments = [...before.segments]
  const sources = [...before.sources]
  let { dropped, nextKey } = before

  /** Index of the segment that the text is about; -1 for a new one. */
  function indexOf({ source, id, speaker }: HeardText): number {
    const oldest = Math.max(0, segments.length - LOOK_BACK)
    for (let index = segments.length - 1; index >= oldest; index -= 1) {
      const segment = segments[index] as Segment
      if (sources[index] !== source || segment.id !== id) continue
      if (id !== undefined) return index
      // A service may learn late who speaks.
      const isOther = speaker !== undefined && segment.speaker !== undefined && segment.speaker !== speaker
      if (!isOther) return segment.final ? -1 : index
    }
    return -1
  }

  for (const heard of texts) {
    const { source, ...text } = heard
    const index = indexOf(heard)
    const isEmpty = text.text.trim() === ''
    if (index < 0) {
      if (isEmpty) continue
      segments.push({ ...text, key: nextKey })
      sources.push(source)
      nextKey += 1
    } else if (segments[index]?.final && (isEmpty || !text.final)) {
      // A final text stays, unless the service corrects it.
    } else if (isEmpty) {
      segments.splice(index, 1)
      sources.splice(index, 1)
    } else segments[index] = { ...text, key: (segments[index] as Segment).key }
  }

  const excess = Math.max(0, segments.length - keep)
  segments.splice(0, excess)
  sources.splice(0, excess)
  dropped += excess
  return { segments, sources, dropped, nextKey }
}
