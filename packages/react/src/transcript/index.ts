export { type SubtitleOptions, toSrt, toText, toVtt } from './formats.js'
export type { Segment, TranscriptText } from './Segment.js'
export { selectText, selectTranscript, selectTranslation } from './select.js'
export { useTranscript, type UseTranscriptOptions, type UseTranscriptResult } from './useTranscript.js'
