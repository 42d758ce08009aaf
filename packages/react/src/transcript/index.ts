/**
 * Hooks for captions, and subtitles as SRT and VTT.
 *
 * @module @stagepass/react/transcript
 */
export { type SubtitleOptions, toSrt, toText, toVtt } from './formats.js'
export type { Segment, TranscriptBlock, TranscriptText } from './Segment.js'
export { selectText, selectTranscript, selectTranslation } from './select.js'
export { useFollowEnd, type UseFollowEndResult } from './useFollowEnd.js'
export { useTranscript, type UseTranscriptOptions, type UseTranscriptResult } from './useTranscript.js'
