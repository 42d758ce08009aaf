export { createVoiceClient, type VoiceClient, type VoiceClientOptions } from './createVoiceClient.js'
export type {
  ClientEvent,
  DropReason,
  RequestEvent,
  StreamEvent,
  TokenEvent,
  VoiceEvent,
} from './client/events.js'
export type { HeadersProvider } from './client/request.js'
export type {
  ExtraMeetingFields,
  FieldList,
  MeetingFieldName,
  MeetingWith,
} from './meetings/meetingFields.js'
export type { MeetingOptions } from './meetings/meetingOptions.js'
export type { MeetingsOptions, MeetingsPage } from './meetings/meetingsOptions.js'
export type { MeetingsFilters } from './meetings/meetingsParams.js'
export { useMeeting, type UseMeetingOptions, type UseMeetingResult } from './meetings/useMeeting.js'
export { useMeetings, type UseMeetingsOptions, type UseMeetingsResult } from './meetings/useMeetings.js'
export type { Platform, SuspendReason, TimerHandle, WakeReason } from './platform/platform.js'
export type { Codec } from './stream/Codec.js'
export type { SendResult } from './stream/queue/createSendQueue.js'
export type { StreamSnapshot, StreamStats } from './stream/Stream.js'
export type { MessageInfo } from './stream/wire/createConnections.js'
export type {
  QueueSettings,
  ReconnectSettings,
  SeamlessRollover,
  StreamSettings,
  StreamSetup,
} from './stream/machine/settings.js'
export type { OpenSocket, ReceivedData, SendData, Socket, SocketListener } from './platform/socket.js'
export type { StreamStatus } from './stream/machine/state.js'
export {
  type StreamHandle,
  useStream,
  type UseStreamOptions,
  type UseStreamResult,
} from './stream/useStream.js'
export { type Subscribable, useStreamValue } from './stream/useStreamValue.js'
export type { TagsOptions, Tags } from './meetings/tagsOptions.js'
export { useTags, type UseTagsResult } from './meetings/useTags.js'
export type { SessionToken } from './token/SessionToken.js'
export type { CachedToken } from './token/tokensOnDemand.js'
export type { SessionTokenOptions } from './token/sessionTokenOptions.js'
export { tokenSource } from './token/tokensOf.js'
export type { LiveToken, TokenSource, TokenState, TokenOptions } from './token/TokenSource.js'
export {
  useSessionToken,
  type UseSessionTokenOptions,
  type UseSessionTokenResult,
} from './token/useSessionToken.js'
export { useVoiceClient } from './useVoiceClient.js'
export { isVoiceError, VoiceError, type VoiceErrorDetails } from './VoiceError.js'
export { VoiceProvider, type VoiceProviderProps } from './VoiceProvider.js'
