/* The types that every entry exports. */

export type {
  BudgetEvent,
  BudgetGauge,
  RedisClient,
  RedisEval,
  SessionsEvent,
  SessionsGauge,
} from '@stagepass/budget'
export type { BffErrorCode, MeetingsWireOptions, Transport } from '@stagepass/contract'
export type { BffError } from '../base/BffError.js'
export type {
  UserCallOptions,
  UserCalls,
  UserMeeting,
  UserMeetingOptions,
  UserMeetingsFilters,
  UserMeetingsPage,
  UserTokenOptions,
} from '../desk/userCalls.js'
export type { UserRequest } from '../desk/requestOther.js'
export type { BffMethods, BffUser } from '../front/createAs.js'
export type { BffLogger } from '../telemetry/createLog.js'
export type { BffEvent, GateReason, UpstreamOperation } from '../telemetry/events.js'
export type { Grant, MeetingsGrant, SessionsGrant, UsageGrant } from '../grant/Grant.js'
export type { EndOptions, EndTarget, SessionsFilter } from '../desk/createSessionMethods.js'
export type { OpenSession } from '../accounts/AccountSessions.js'
export type {
  Authorize,
  CommonOptions,
  LimitsOptions,
  MeetingsOptions,
  SessionsOptions,
  UpstreamDispatcher,
} from '../settings/BffOptions.js'
export type { Platform } from '../base/platform.js'
export type {
  BffGauge,
  ObservedRequest,
  PartResult,
  PartSpan,
  RequestResult,
  RequestSpan,
  Telemetry,
  TelemetrySource,
} from '../telemetry/Telemetry.js'
export type { Secret } from '../base/Secret.js'
export type { StreamQuery } from '../base/streamQuery.js'
