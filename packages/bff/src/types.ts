/* The types that every entry exports. */

export type { BudgetEvent, BudgetGauge, RedisClient, RedisEval, WaitHistogram } from '@stagepass/budget'
export type { MeetingsWireOptions, Transport } from '@stagepass/contract'
export type { BffMethods } from './createCore.js'
export type { BffLogger } from './log/createLog.js'
export type { BffEvent, GateReason, UpstreamOperation } from './events/events.js'
export type { Grant, MeetingsGrant, UsageGrant } from './settings/Grant.js'
export type {
  Authorize,
  CommonOptions,
  LimitsOptions,
  MeetingsOptions,
  UpstreamDispatcher,
} from './settings/BffOptions.js'
export type { Platform } from './platform/platform.js'
export type {
  BffGauge,
  ObservedRequest,
  PartResult,
  PartSpan,
  RequestResult,
  RequestSpan,
  Telemetry,
  TelemetrySource,
} from './events/Telemetry.js'
export type { Secret } from './settings/Secret.js'
