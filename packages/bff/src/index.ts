export type { BudgetEvent, BudgetGauge, RedisClient, WaitHistogram } from '@stagepass/budget'
export { type Bff, type BffGauge, createBff } from './createBff.js'
export type { FetchHandler, RouteHandlers } from './hosts/fetch.js'
export type { BffLogger } from './context/createLog.js'
export type { BffEvent, GateReason, UpstreamOperation } from './context/events.js'
export type { Grant, MeetingsGrant } from './settings/Grant.js'
export type {
  Authorize,
  BffOptions,
  LimitsOptions,
  MeetingsOptions,
  MeetingsWireOptions,
  SharedCacheOptions,
  UpstreamDispatcher,
} from './settings/BffOptions.js'
export type { Platform } from './context/platform.js'
export type {
  ObservedRequest,
  PartResult,
  PartSpan,
  RequestResult,
  RequestSpan,
  Telemetry,
  TelemetrySource,
} from './context/Telemetry.js'
export type { Secret } from './settings/Secret.js'
