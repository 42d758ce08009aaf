import type { Request } from 'express'
import type { Answer } from '../answer.js'
import type { EmitEvent } from '../events.js'
import type { CheckedGrant } from '../grant.js'
import type { Limits } from '../limits.js'
import type { MeetingsReader } from '../meetings/createMeetingsReader.js'
import type { Settings } from '../options.js'
import type { Call } from '../request/Call.js'
import type { Upstream } from '../upstream.js'

/** A request that has passed the gate. */
export interface RouteRequest {
  readonly req: Request
  readonly call: Call
  readonly grant: CheckedGrant
  /** What stands for `:id` in the path, still encoded. */
  readonly encodedId: string
}

export interface Services {
  readonly settings: Settings
  readonly upstream: Upstream
  readonly meetings: MeetingsReader
  readonly limits: Limits
  readonly emit: EmitEvent
}

/** An address of the wire. The table of routes is the only way to be one, and the gate stands in front of the table. */
export interface Route {
  /** As events name it. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** Relative to the mount; `:id` may stand for the last part. */
  readonly path: `/${string}`
  answer(request: RouteRequest, services: Services): Promise<Answer>
}
