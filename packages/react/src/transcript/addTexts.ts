import type { MessageInfo } from '../stream/wire/createConnections.js'
import { blocksOf } from './blocksOf.js'
import { type FinalWords, lastWords, withoutRepeated } from './repeatedWords.js'
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

interface Repeat {
  readonly source: MessageInfo
  /** Undefined: what this connection repeats is over. */
  readonly final: FinalWords | undefined
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
  /** Final words that the last connections may repeat, because they got sound again. */
  readonly repeats: readonly Repeat[]
  readonly nextKey: number
}

export const EMPTY: TranscriptState = {
  segments: [],
  blocks: [],
  dropped: 0,
  sources: [],
  zeroMs: undefined,
  beginnings: [],
  repeats: [],
  nextKey: 0,
}

/** A rollover reads two connections at once. */
const MOST_BEGINNINGS = 4

/** A text belongs to one of this many last segments, or to a new one. */
const LOOK_BACK = 100

/** So many of the last words may be repeated: more than is said in the longest lag. */
const MOST_REPEATED = 200
/** A text that begins this much before the end of the final ones repeats none of them. */
const SAME_MS = 300

/** The state with more texts. `before` is not changed. */
export function addTexts(
  before: TranscriptState,
  texts: readonly HeardText[],
  keep: number,
): TranscriptState {
  const segments = [...before.segments]
  const sources = [...before.sources]
  let { dropped, zeroMs, beginnings, repeats, nextKey } = before

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
    const at = timesOf(source)
    return {
      ...text,
      ...(isRelative(startMs) && { startMs: at(startMs) }),
      ...(isRelative(endMs) && { endMs: at(endMs) }),
    }
  }

  /** Converts the times of a connection. */
  function timesOf(source: MessageInfo): (ms: number) => number {
    const { saidAt } = source
    if (!saidAt) return (ms) => ms + beginningOf(source)
    const zero = (zeroMs ??= saidAt(0))
    return (ms) => saidAt(ms) - zero
  }

  /** The text without the words that a connection before has made final. */
  function withoutFinal(text: TranscriptText, source: MessageInfo): TranscriptText {
    if (!source.isResent?.()) return text
    let repeat = repeats.find((one) => one.source === source)
    if (!repeat) {
      repeat = { source, final: finalBefore(source, text.startMs) }
      repeats = [...repeats, repeat].slice(-MOST_BEGINNINGS)
    }
    if (!repeat.final) return text
    const { text: kept, rest, words } = withoutRepeated(text.text, repeat.final)
    if (text.final) {
      const final = words > 0 && kept === '' && rest.words.length > 0 ? rest : undefined
      repeats = repeats.map((one) => (one.source === source ? { source, final } : one))
    }
    return { ...text, text: kept }
  }

  /** The final words of connections before, unless the times of a text say that it comes after them. */
  function finalBefore(source: MessageInfo, startMs: number | undefined): FinalWords | undefined {
    const earlier = segments.filter(({ final }, index) => final && isBefore(sources[index], source))
    const ends = earlier.slice(-LOOK_BACK).map(({ endMs }) => endMs ?? Infinity)
    if (isRelative(startMs) && startMs > Math.max(...ends) - SAME_MS) return undefined
    return lastWords(
      earlier.slice(-LOOK_BACK).map(({ text }) => text),
      MOST_REPEATED,
    )
  }

  /** What may still grow of a lost connection is heard again by this one. After a close nothing is. */
  function removeUnfinished(source: MessageInfo): void {
    if (!source.isResent?.()) return
    let lost: MessageInfo | undefined
    for (let index = segments.length - 1; index >= Math.max(0, segments.length - LOOK_BACK); index -= 1) {
      if (!isBefore(sources[index], source)) continue
      lost ??= sources[index]
      if (segments[index]?.final || sources[index] !== lost) continue
      segments.splice(index, 1)
      sources.splice(index, 1)
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
    const text = withoutFinal(inTranscript(heard), source)
    const isEmpty = text.text.trim() === ''
    if (!isEmpty) removeUnfinished(source)
    const index = indexOf(heard)
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
  return { segments, blocks, sources, dropped, zeroMs, beginnings, repeats, nextKey }
}

const isBefore = (one: MessageInfo | undefined, other: MessageInfo): boolean =>
  one !== undefined && one.generation < other.generation

const isRelative = (time: number | undefined): time is number => isTime(time) && !isDate(time)
