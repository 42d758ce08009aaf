import { wellFormed } from '@stagepass/contract'
import { isDate, isTime, type TranscriptText } from './Segment.js'

/** Options of `toSrt` and `toVtt`. */
export interface SubtitleOptions {
  /**
   * The `startMs` at which the file begins, such as the start of its recording. Default 0; if the times are
   * dates, the first of them.
   */
  readonly zeroMs?: number | undefined
}

/** Reading speed of captions. */
const MS_PER_CHARACTER = 60
const SHORTEST_GUESS_MS = 1_000
const LINE_BREAKS = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/
/** Has no width. Separates characters that a player would read as markup. */
const WORD_JOINER = '\u2060'

interface Cue {
  readonly startMs: number
  readonly endMs: number
  readonly lines: readonly string[]
  readonly speaker: string
  readonly language: string
}

/** Plain text: a line for each segment, after the name of its speaker if there is one. */
export function toText(segments: readonly TranscriptText[]): string {
  return segments
    .map(({ text, speaker = '' }) => ({ line: linesOf(text).join(' '), name: linesOf(speaker).join(' ') }))
    .filter(({ line }) => line !== '')
    .map(({ line, name }) => (name === '' ? `${line}\n` : `${name}: ${line}\n`))
    .join('')
}

/**
 * A SubRip file (.srt). A missing time is estimated: the start is the end of the previous segment; the end is
 * the time when the text has been read, or the start of the next segment. A start before 0 becomes 0. SubRip
 * has no escapes, so a character without width (U+2060) is inserted into text that would be read as a time, a
 * tag or a new line (`\N`). Braces become wide ones (`｛`, `｝`), because players hide what is between braces.
 */
export function toSrt(segments: readonly TranscriptText[], options: SubtitleOptions = {}): string {
  const plain = (text: string): string =>
    text
      .replaceAll(/--(?=>)|<|\\(?=[nh])/gi, `$&${WORD_JOINER}`)
      .replaceAll('{', '｛')
      .replaceAll('}', '｝')
  return cuesOf(segments, options)
    .map(({ startMs, endMs, lines, speaker }, index) => {
      const text = plain(speaker === '' ? lines.join('\n') : `${speaker}: ${lines.join('\n')}`)
      return `${index + 1}\n${clock(startMs, ',')} --> ${clock(endMs, ',')}\n${text}\n\n`
    })
    .join('')
}

/**
 * A WebVTT file (.vtt), for `<track>`, with speakers (as voices) and languages. Missing times are estimated
 * as in `toSrt`.
 */
export function toVtt(segments: readonly TranscriptText[], options: SubtitleOptions = {}): string {
  const cues = cuesOf(segments, options).map(({ startMs, endMs, lines, speaker, language }) => {
    const text = escaped(lines.join('\n'))
    const inLanguage = language === '' ? text : `<lang ${inTag(language)}>${text}</lang>`
    const spoken = speaker === '' ? inLanguage : `<v ${inTag(speaker)}>${inLanguage}</v>`
    return `${clock(startMs, '.')} --> ${clock(endMs, '.')}\n${spoken}\n\n`
  })
  return `WEBVTT\n\n${cues.join('')}`
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Players on ffmpeg read `\N`, `\n` and `\h` in WebVTT too, as a new line or a space. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[&<>]/g, (character) => ESCAPES[character] ?? '')
    .replaceAll(/\\(?=[nh])/gi, `$&${WORD_JOINER}`)

/**
 * Firefox and ffmpeg do not read escapes in a tag. Two dashes before the end of the tag would become an
 * arrow.
 */
const inTag = (name: string): string =>
  name.replaceAll(/&|--$/g, `$&${WORD_JOINER}`).replaceAll('<', '‹').replaceAll('>', '›')

/** The lines of a text that are not empty: an empty line would end a cue. */
const linesOf = (text: string): string[] =>
  wellFormed(text)
    .replaceAll('\0', '')
    .split(LINE_BREAKS)
    .map((line) => line.trim())
    .filter(Boolean)

/** Segments with text, sorted by their start, as WebVTT requires. */
function cuesOf(segments: readonly TranscriptText[], { zeroMs }: SubtitleOptions): Cue[] {
  const starts = segments.map(({ startMs }) => startMs).filter(isTime)
  const first = starts.reduce((least, one) => Math.min(least, one), Infinity)
  const zero = zeroMs ?? (isTime(first) && isDate(first) ? first : 0)
  const at = (time: number | undefined): number | undefined =>
    isTime(time) ? Math.max(0, Math.round(time - zero)) : undefined

  const texts = segments
    .map((segment) => ({ ...segment, lines: linesOf(segment.text) }))
    .filter(({ lines }) => lines.length > 0)
  let lastEnd = 0
  const cues = texts.map(({ lines, speaker = '', language = '', ...segment }, index): Cue => {
    const startMs = at(segment.startMs) ?? lastEnd
    const next = at(texts[index + 1]?.startMs) ?? 0
    const read = startMs + Math.max(SHORTEST_GUESS_MS, lines.join(' ').length * MS_PER_CHARACTER)
    const guess = next > startMs ? Math.min(next, read) : read
    const given = at(segment.endMs) ?? 0
    const endMs = given > startMs ? given : guess
    lastEnd = endMs
    return {
      startMs,
      endMs,
      lines,
      speaker: linesOf(speaker).join(' '),
      language: linesOf(language).join(' '),
    }
  })
  return cues.sort((a, b) => a.startMs - b.startMs)
}

/** Hours have two digits, or more from 100 on. */
function clock(ms: number, point: ',' | '.'): string {
  const digits = (number: number, length = 2): string => String(Math.floor(number)).padStart(length, '0')
  const seconds = ms / 1_000
  return `${digits(seconds / 3_600)}:${digits((seconds / 60) % 60)}:${digits(seconds % 60)}${point}${digits(ms % 1_000, 3)}`
}
