/* The types that every entry exports. */

export type { BudgetEvent, BudgetGauge, RedisClient, RedisEval, WaitHistogram } from '@stagepass/budget'
export type { MeetingsWireOptions, Transport } from '@stagepass/contract'
export type { BffMethods } from '../desk/createDesk.js'
export type { BffLogger } from '../telemetry/createLog.js'
export type { BffEvent, GateReason, UpstreamOperation } from '../telemetry/events.js'
export type { Grant, MeetingsGrant, UsageGrant } from '../grant/Grant.js'
export type {
  Authorize,
  CommonOptions,
  LimitsOptions,
  MeetingsOptions,
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
