/* The types that every entry exports. */

export type { BudgetEvent, BudgetGauge, RedisClient, RedisEval, WaitHistogram } from '@stagepass/budget'
export type { Transport } from '@stagepass/contract'
export type { BffGauge, BffMethods } from './createCore.js'
export type { BffLogger } from './context/createLog.js'
export type { BffEvent, GateReason, UpstreamOperation } from './context/events.js'
export type { Grant, MeetingsGrant, UsageGrant } from './settings/Grant.js'
export type {
  Authorize,
  CommonOptions,
  LimitsOptions,
  MeetingsOptions,
  MeetingsWireOptions,
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
