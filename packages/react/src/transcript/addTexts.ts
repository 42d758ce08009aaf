import type { MessageInfo } from '../stream/wire/createConnections.js'
import { blocksOf } from './blocksOf.js'
import { isDate, isTime, type Segment, type TranscriptBlock, type TranscriptText } from './Segment.js'

/** A text and its connection. A service may count ids and times from 0 on each connection. */
export interface HeardText extends TranscriptText {
  readonly source: MessageInfo
}

/** The time in the transcript at which a connection begins. */
interface Beginning {
  readonly source: MessageInfo
  readonly atMs: number
}

export interface TranscriptState {
  readonly segments: readonly Segment[]
  readonly blocks: readonly TranscriptBlock[]
  /** Number of dropped segments, if there were more than `keep`. */
  readonly dropped: number
  /** The connection of each segment. */
  readonly sources: readonly MessageInfo[]
  /** `zeroMs`: when the first connection was opened. `beginnings`: of the last connections. */
  readonly zeroMs: number | undefined
  readonly beginnings: readonly Beginning[]
  readonly nextKey: number
}

export const EMPTY: TranscriptState = {
  segments: [],
  blocks: [],
  dropped: 0,
  sources: [],
  zeroMs: undefined,
  beginnings: [],
  nextKey: 0,
}

/** A rollover reads two connections at once. */
const MOST_BEGINNINGS = 4

/** A text belongs to one of this many last segments, or to a new one. */
const LOOK_BACK = 100

/** The state with more texts. `before` is not changed. */
export function addTexts(
  before: TranscriptState,
  texts: readonly HeardText[],
  keep: number,
): TranscriptState {
  const segments = [...before.segments]
  const sources = [...before.sources]
  let { dropped, zeroMs, beginnings, nextKey } = before

  /** Not earlier than the end of the last text, because sound may have waited for its connection. */
  function beginningOf(source: MessageInfo): number {
    const known = beginnings.find((one) => one.source === source)
    if (known) return known.atMs
    zeroMs ??= source.openedAtMs
    const ends = segments.map(({ startMs, endMs }) => endMs ?? startMs).filter(isRelative)
    const atMs = ends.reduce((most, end) => Math.max(most, end), source.openedAtMs - zeroMs)
    beginnings = [...beginnings, { source, atMs }].slice(-MOST_BEGINNINGS)
    return atMs
  }

  /** Converts times of a connection to times of the transcript. Dates stay as they are. */
  function inTranscript({ source, ...text }: HeardText): TranscriptText {
    const { startMs, endMs } = text
    if (!isRelative(startMs) && !isRelative(endMs)) return text
    const atMs = beginningOf(source)
    return {
      ...text,
      ...(isRelative(startMs) && { startMs: startMs + atMs }),
      ...(isRelative(endMs) && { endMs: endMs + atMs }),
    }
  }

  /** Index of the segment to which the text belongs; -1 for a new one. */
  function indexOf({ source, id, speaker }: HeardText): number {
    const oldest = Math.max(0, segments.length - LOOK_BACK)
    for (let index = segments.length - 1; index >= oldest; index -= 1) {
      const segment = segments[index] as Segment
      if (sources[index] !== source || segment.id !== id) continue
      if (id !== undefined) return index
      // A service may name the speaker later.
      const isOther = speaker !== undefined && segment.speaker !== undefined && segment.speaker !== speaker
      if (!isOther) return segment.final ? -1 : index
    }
    return -1
  }

  for (const heard of texts) {
    const { source } = heard
    const text = inTranscript(heard)
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
  const blocks = blocksOf(segments, before.blocks)
  return { segments, blocks, sources, dropped, zeroMs, beginnings, nextKey }
}

const isRelative = (time: number | undefined): time is number => isTime(time) && !isDate(time)
