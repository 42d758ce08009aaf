/**
 * Hooks for session tokens, streams and meetings.
 *
 * @module @stagepass/react
 */
export { createVoiceClient, type VoiceClient, type VoiceClientOptions } from './client/createVoiceClient.js'
export type { VoiceEvent } from './events/events.js'
export type { MeetingFieldName, MeetingWith } from './meetings/MeetingWith.js'
export { meetingOptions, type MeetingOptions } from './meetings/meetingOptions.js'
export { meetingsOptions, type MeetingsOptions } from './meetings/meetingsOptions.js'
export type { MeetingsFilters } from './meetings/MeetingsFilters.js'
export type { ExtraMeetingFields, Participant, Tag } from './meetings/MeetingWith.js'
export { tagsOptions, type TagsOptions } from './meetings/tagsOptions.js'
export { useEndless, type UseEndlessResult } from './meetings/useEndless.js'
export { useMeeting, type UseMeetingOptions, type UseMeetingResult } from './meetings/useMeeting.js'
export { useMeetings, type UseMeetingsOptions, type UseMeetingsResult } from './meetings/useMeetings.js'
export { useTags, type UseTagsResult } from './meetings/useTags.js'
export type { Platform } from './platform/platform.js'
export type { OpenSocket, ReceivedData, SendData } from './platform/socket.js'
export { authorizedUrl } from './stream/wire/authorizedUrl.js'
export type { Codec } from './stream/Codec.js'
export type { StreamStats } from './stream/Stream.js'
export type { QueuePlace, StreamStatus } from './stream/machine/state.js'
export { useStream, type UseStreamOptions, type UseStreamResult } from './stream/useStream.js'
export { useStreamValue } from './stream/useStreamValue.js'
export { type StreamVitals, useVitals } from './stream/useVitals.js'
export type { SessionToken } from './token/SessionToken.js'
export { sessionTokenOptions, type SessionTokenOptions } from './token/sessionTokenOptions.js'
export { tokenSource } from './token/tokensOf.js'
export type { TokenSource } from './token/TokenSource.js'
export {
  useSessionToken,
  type UseSessionTokenOptions,
  type UseSessionTokenResult,
} from './token/useSessionToken.js'
export type { VitalsOptions } from './vitals/VitalsOptions.js'
export { useUsage } from './usage/useUsage.js'
export { useVoiceClient } from './client/useVoiceClient.js'
export { isVoiceError, VoiceError } from './errors/VoiceError.js'
export { VoiceProvider, type VoiceProviderProps } from './client/VoiceProvider.js'
