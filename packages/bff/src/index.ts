export type { BudgetGauge } from './budget/Budget.js'
export type { BudgetEvent } from './budget/core/events.js'
export type { RedisClient } from './budget/redis/redisClient.js'
export type { WaitHistogram } from './budget/Budget.js'
export { type Bff, type BffGauge, createBff } from './createBff.js'
export type { FetchHandler, RouteHandlers } from './hosts/fetch.js'
export type { BffEvent, GateReason, UpstreamOperation } from './context/events.js'
export type { Grant, MeetingsGrant } from './settings/Grant.js'
export type {
  Authorize,
  BffOptions,
  LimitsOptions,
  MeetingsOptions,
  MeetingsWireOptions,
  UpstreamDispatcher,
} from './settings/BffOptions.js'
export type { Platform } from './context/platform.js'
export type { Secret } from './settings/Secret.js'
